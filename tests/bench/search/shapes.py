#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shapes.py BUILD [--seeds N] [--seconds S] [--strategies s,t]: 60 small programs with bugs of well-known shapes (shapes.c), 2 to 100 threads.

Prints schedules to the first failing run by shape (median and range over numbers of threads and seeds, the hunt's own first run included), then the median
of all, and the worst with its program."""
import argparse
import os
import statistics

from table1 import search

SHAPES = ['setters', 'checkers', 'setters_checkers', 'publish', 'ring', 'buffer', 'stealing', 'check_use', 'references', 'lazy', 'bank', 'pairs', 'lost',
          'additions', 'flags']
NUMBERS = [2, 5, 20, 100]
BUDGET = 400


def firsts(o, shape, n, strategy):
    driver, program = os.path.join(o.build, 'tests/bench-search'), os.path.join(o.build, 'bench-search/shapes/tsan-gcc')
    runs = [search(driver, program, strategy, seed, BUDGET, o.seconds, argument=[shape, n]) for seed in range(1, o.seeds + 1)]
    return [int(g.get('first', 0)) or BUDGET for g in runs]


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--seconds', type=int, default=10)
    p.add_argument('--strategies', default='portfolio')
    o = p.parse_args()
    for strategy in o.strategies.split(','):
        every = {}
        for shape in SHAPES:
            of_shape = {f'{shape} {n}': firsts(o, shape, n, strategy) for n in NUMBERS}
            first = [f for some in of_shape.values() for f in some]
            print(f'{shape}, {strategy}\t{statistics.median(first):g} ({min(first)}..{max(first)})\tschedules\t', flush=True)
            every.update(of_shape)
        worst = max(every, key=lambda program: max(every[program]))
        print(f'{len(every)} programs, {strategy}\t{statistics.median([f for some in every.values() for f in some]):g}\tschedules\t<= 5')
        print(f'worst: {worst}, {strategy}\t{max(every[worst])}\tschedules\t<= 40')


if __name__ == '__main__':
    main()
