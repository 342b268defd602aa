# SPDX-License-Identifier: GPL-2.0-or-later
"""Schedules to the first bug over 100 seeds, by strategy: quartiles, and histograms as SVG."""
import os
import statistics

from charts import bars
from tables import Table, driver, search

SEEDS, PATIENCE, BUDGET, BINS = 100, 5, 2000, 24
STRATEGIES = ['cvt', 'pct', 'pctvb', 'random', 'portfolio']
PROGRAMS = [('five', 'stop_flag'), ('five', 'reference_counter'), ('fair', 'piper')]


def histogram(numbers):
    """Bins of equal width of what was found."""
    width = max(1, -(-max(numbers) // BINS))
    rows = [0] * (max(numbers) // width + 1)
    for n in numbers:
        rows[n // width] += 1
    return [(i * width, n) for i, n in enumerate(rows)]


def measure(o):
    table = Table('program', 'strategy', 'seeds', 'found', 'least', 'quartile', 'median', 'quartile', 'most')
    for folder, name in PROGRAMS:
        program = os.path.join(o.build, folder, name, 'tsan-gcc')
        for strategy in STRATEGIES:
            got = [search(driver(o), program, strategy, n, BUDGET, o.seconds or PATIENCE) for n in range(1, (o.seeds or SEEDS) + 1)]
            found = sorted(int(g['first']) for g in got if int(g.get('first', 0)))
            quarters = statistics.quantiles(found, n=4) if len(found) > 1 else [found[0]] * 3 if found else ['-'] * 3
            table.add(name, strategy, len(got), len(found), found[0] if found else '-', *quarters, found[-1] if found else '-')
            if o.figures and found:
                bars(os.path.join(o.figures, f'first-{name}-{strategy}.svg'), f'{name}, {strategy}: {len(found)} of {len(got)} seeds', histogram(found), 'schedules', 'seeds')
