#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""five.py BUILD [--seeds N] [--seconds S] [--names a,b]: five classic bugs, strategies side by side on one engine.

Prints "program, strategy<TAB>median (least..most)<TAB>schedules" to the first failing run; a search that found nothing counts with
its budget."""
import argparse
import os
import statistics

from table1 import search

STRATEGIES = ['portfolio', 'cvt', 'pct', 'pctvb', 'pos', 'surw', 'random']
BUDGET = 20000


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--seconds', type=int, default=10)
    p.add_argument('--names', default='')
    o = p.parse_args()
    for name in o.names.split(',') if o.names else sorted(os.listdir(os.path.join(o.build, 'five'))):
        program = os.path.join(o.build, 'five', name, 'tsan-gcc')
        for strategy in STRATEGIES:
            got = [search(os.path.join(o.build, 'tests/bench-search'), program, strategy, seed, BUDGET, o.seconds) for seed in range(1, o.seeds + 1)]
            first = [int(g.get('first', 0)) or BUDGET for g in got]
            missed = sum(not int(g.get('first', 0)) for g in got)
            print(f'{name}, {strategy}\t{statistics.median(first):g} ({min(first)}..{max(first)})\tschedules\t'
                  + (f'not found {missed} of {o.seeds}' if missed else ''), flush=True)


if __name__ == '__main__':
    main()
