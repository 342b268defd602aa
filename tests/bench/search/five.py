#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""five.py BUILD [--seeds N] [--seconds S] [--names a,b] [--strategies s,t] [--check]: five classic bugs, strategies side by side on one engine.

Prints "program, strategy<TAB>median (least..most)<TAB>schedules" to the first failing run, the hunt's own first run included; a search that
found nothing counts with its budget. With --check: exits 1 unless the portfolio's median is at most twice the best one's on every program."""
import argparse
import os
import statistics
import sys

from table1 import search

STRATEGIES = ['portfolio', 'cvt', 'dpor', 'bestfirst', 'pct', 'pctvb', 'pos', 'surw', 'random']
BUDGET = 2000
WORST = 2  # times the best


def medians(o, name):
    program = os.path.join(o.build, 'five', name, 'tsan-gcc')
    got = {}
    for strategy in o.strategies.split(','):
        runs = [search(os.path.join(o.build, 'tests/bench-search'), program, strategy, seed, BUDGET, o.seconds) for seed in range(1, o.seeds + 1)]
        first = [int(g.get('first', 0)) or BUDGET for g in runs]
        missed = sum(not int(g.get('first', 0)) for g in runs)
        got[strategy] = statistics.median(first)
        print(f'{name}, {strategy}\t{got[strategy]:g} ({min(first)}..{max(first)})\tschedules\t'
              + (f'not found {missed} of {o.seeds}' if missed else ''), flush=True)
    return got


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--seconds', type=int, default=10)
    p.add_argument('--names', default='')
    p.add_argument('--strategies', default=','.join(STRATEGIES))
    p.add_argument('--check', action='store_true')
    o = p.parse_args()
    wrong = []
    for name in o.names.split(',') if o.names else sorted(os.listdir(os.path.join(o.build, 'five'))):
        got = medians(o, name)
        if o.check and got['portfolio'] > WORST * min(got.values()):
            wrong.append(f"{name}: portfolio {got['portfolio']:g}, best {min(got.values()):g}")
    print('\n'.join(wrong))
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
