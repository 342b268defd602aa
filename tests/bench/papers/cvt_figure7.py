# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 7 of [CVT13]: how often the variables of a program are accessed, and what section 3 makes of it: the chance that a random change point hits a given access to a
variable drawn at random, if points are drawn among all accesses (E1) and if the variable is drawn first (E2). E1 <= E2 always; by how much is measured."""
import os
import statistics
import subprocess

from charts import bars
from tables import Table, driver, verdict

DRAWN = ['merge_sort', 'ping_pong', 'hash_set', 'tree_set', 'bubble_sort', 'account']
BINS = 20


def accesses(o, program):
    """Accesses by variable, in the run of the default schedule and some others: the most."""
    done = subprocess.run([driver(o), '--accesses', '--all', '--budget', '3', '--seconds', '60', 'cvt', '1', program, '0'], capture_output=True, text=True, check=True)
    return [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith('accesses ')]


def histogram(counts):
    """Bins of equal width: from, variables."""
    width = max(1, -(-max(counts) // BINS))
    rows = [0] * (max(counts) // width + 1)
    for n in counts:
        rows[n // width] += 1
    return [(i * width, n) for i, n in enumerate(rows)]


def measure(o):
    table = Table('program', 'variables', 'accesses', 'median', 'most', 'E1', 'E2', 'E2/E1', '')
    for name in sorted(os.listdir(os.path.join(o.build, 'fair'))):
        counts = accesses(o, os.path.join(o.build, 'fair', name, 'tsan-gcc'))
        q, sum_k = len(counts), sum(counts)
        e1, e2 = 1 / sum_k, sum(1 / (q * k) for k in counts) / q
        table.add(name, q, sum_k, f'{statistics.median(counts):g}', max(counts), f'{e1:.2g}', f'{e2:.2g}', f'{e2 / e1:.1f}', verdict(e2 >= e1 * 0.999999, 'against Jensen: a mistake of ours'))
        if o.figures and name in DRAWN:
            bars(os.path.join(o.figures, f'figure7-{name}.svg'), f'{name}: variables by number of accesses', histogram(counts), 'accesses', 'variables')
