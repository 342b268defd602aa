#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py BUILD [--seeds N] [--seconds S] [--strategies s,t]: the seven figure programs (data/corpus/fig*).

Prints schedules to the first failing run by strategy, the hunt's own first run included, then schedules to exhaustion and classes: dpor, and
dfs within the c of the program's tuple."""
import argparse
import json
import os
import statistics

from five import STRATEGIES
from table1 import search

NAMES = ['fig1', 'fig2', 'fig3', 'fig4', 'fig8', 'fig9', 'fig10']
BUDGET = 20000
ANY = '255'


def firsts(o, driver, name, program):
    for strategy in o.strategies.split(','):
        got = [search(driver, program, strategy, seed, BUDGET, o.seconds) for seed in range(1, o.seeds + 1)]
        first = [int(g.get('first', 0)) or BUDGET for g in got]
        missed = sum(not int(g.get('first', 0)) for g in got)
        print(f'{name}, {strategy}\t{statistics.median(first):g} ({min(first)}..{max(first)})\tschedules\t'
              + (f'not found {missed} of {o.seeds}' if missed else ''), flush=True)


def exhaustion(o, driver, name, program, c):
    for strategy, *more in (('dpor', '--c', ANY, '--v', ANY), ('dfs', '--c', str(c), '--v', ANY)):
        got = search(driver, program, strategy, 1, 10 * BUDGET, o.seconds, '--all', *more)
        done = 'exhausted' if got.get('end') == 'exhausted' else 'not exhausted'
        print(f'{name}, {strategy} {" ".join(more[:2])}: {done}, {got.get("classes")} classes\t{got.get("schedules")}\tschedules\t', flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--seconds', type=int, default=10)
    p.add_argument('--strategies', default=','.join(STRATEGIES))
    o = p.parse_args()
    driver = os.path.join(o.build, 'tests/bench-search')
    for name in NAMES:
        program = os.path.join(o.build, 'corpus', name, 'tsan-gcc')
        with open(os.path.join(os.path.dirname(__file__), '../../../data/corpus', name, 'expect.json')) as f:
            tuple_ = json.load(f)['tuple']
        firsts(o, driver, name, program)
        exhaustion(o, driver, name, program, tuple_['c'] if isinstance(tuple_, dict) else tuple_[0])


if __name__ == '__main__':
    main()
