# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 2 of [GAMBIT10]: schedules to the first bug by priority, on the programs of data/corpus and data/five that have one.

Full search: no bound, dpor and best first; PB(2): at most two preemptions, depth first and best first. `rand` is the median of some seeds."""
import json
import os
import statistics

from tables import Table, driver, search, verdict, why_none

FULL, BOUND = ('--c', '255', '--v', '255'), ('--c', '2', '--v', '2')
COLUMNS = [('DPOR', 'dpor', FULL, None), ('pb', 'bestfirst', FULL, 'pb'), ('dpor,pb', 'bestfirst', FULL, 'dpor,pb'), ('mdpor,pb', 'bestfirst', FULL, 'mdpor,pb'),
           ('rand', 'bestfirst', FULL, 'rand'), ('PB(2) DF', 'dfs', BOUND, None), ('PB(2) ss', 'bestfirst', BOUND, 'ss'), ('PB(2) ss,dpor', 'bestfirst', BOUND, 'ss,dpor'),
           ('PB(2) ss,mdpor', 'bestfirst', BOUND, 'ss,mdpor'), ('PB(2) rand', 'bestfirst', BOUND, 'rand')]
BUDGET, PATIENCE, SEEDS = 20000, 20, 5
OURS = 'our dpor runs one schedule of each class (source sets, wakeup trees), the paper compares with that of 2005: '


def programs(o):
    for folder in ('corpus', 'five'):
        root = os.path.join(o.source, 'data', folder)
        for name in sorted(os.listdir(root)):
            path, expect = os.path.join(o.build, folder, name, 'tsan-gcc'), os.path.join(root, name, 'expect.json')
            if os.path.exists(path) and os.path.exists(expect):
                with open(expect) as f:
                    if json.load(f).get('correct') is False:
                        yield name, path


def cell(o, path, strategy, bounds, priority, whys):
    """Schedules to the first bug, or None, and then why is added."""
    seeds = range(1, (o.seeds or SEEDS) + 1) if priority == 'rand' else [1]
    more = [*bounds, *(['--priority', priority] if priority else [])]
    got = [search(driver(o), path, strategy, n, BUDGET, o.seconds or PATIENCE, *more, argument=[]) for n in seeds]
    found = [int(g.get('first', 0)) or float('inf') for g in got]
    median = statistics.median(found)
    if median < float('inf'):
        return median
    whys[os.path.basename(os.path.dirname(path)), priority, bounds] = why_none(next(g for g in got if not int(g.get('first', 0))))
    return None


def totals(rows):
    """Bugs found by column, and schedules where all columns have found it."""
    found = [sum(row[i] is not None for row in rows.values()) for i in range(len(COLUMNS))]
    by_all = [row for row in rows.values() if None not in row]
    return found, [sum(row[i] for row in by_all) for i in range(len(COLUMNS))], len(by_all)


def most_lost(both, i, j):
    """The program that most of the difference comes from."""
    name, row = max(both.items(), key=lambda item: item[1][i] - item[1][j])
    return f'{name} alone {row[i]:g} and {row[j]:g}'


def against(heading, base, rows, whys):
    """[GAMBIT10]: the first column finds what the second finds, in fewer schedules. Schedules of what both find."""
    names = [c[0] for c in COLUMNS]
    i, j = names.index(heading), names.index(base)
    both = {name: row for name, row in rows.items() if row[i] is not None and row[j] is not None}
    first, second = (sum(row[k] for row in both.values()) for k in (i, j))
    missed = [f'{name} ({whys[name, COLUMNS[i][3], COLUMNS[i][2]]})' for name, row in rows.items() if row[i] is None and row[j] is not None]
    why = f'misses {", ".join(missed)}' if missed else f'{OURS if base == "DPOR" else ""}{first:g} schedules, not fewer than {second:g}, {most_lost(both, i, j)}'
    return f'{heading}: more bugs than {base}, sooner', f'{first:g} and {second:g} schedules to {len(both)} bugs', verdict(not missed and first < second, why)


def measure(o):
    table = Table('program', *[c[0] for c in COLUMNS])
    rows, whys = {}, {}
    for name, path in programs(o):
        rows[name] = [cell(o, path, strategy, bounds, priority, whys) for _, strategy, bounds, priority in COLUMNS]
        table.add(name, *['-' if n is None else f'{n:g}' for n in rows[name]])
    found, sums, by_all = totals(rows)
    table.add(f'found, of {len(rows)}', *found)
    table.add(f'schedules, {by_all} found by all', *[f'{n:g}' for n in sums])
    claims = Table('what [GAMBIT10] says', 'here', '')
    for heading, base in (('pb', 'DPOR'), ('mdpor,pb', 'pb'), ('PB(2) ss,dpor', 'PB(2) DF'), ('PB(2) ss,mdpor', 'PB(2) ss,dpor')):
        claims.add(*against(heading, base, rows, whys))
