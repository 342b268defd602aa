#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""alike.py BUILD [--seeds N] [--seconds S] [--strategies s,t] [--check]: threads that are alike (tests/e2e/programs/alike_*): schedules to the first failing run
as their number grows, the hunt's own first run included. With --check: exits 1 if some seed needs more than 6 with N setters and a checker,
or more than 20 with publication in two stages."""
import argparse
import os
import statistics
import sys

from table1 import search

MOST = {'alike_setters': 6, 'alike_publish': 20}
NUMBERS = [2, 3, 4, 6, 10, 20, 50, 100]
BUDGET = 200


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--seconds', type=int, default=60)
    p.add_argument('--strategies', default='portfolio')
    p.add_argument('--check', action='store_true')
    o = p.parse_args()
    wrong = []
    for name, most in MOST.items():
        program = os.path.join(o.build, 'programs', name, 'tsan-gcc')
        for n in NUMBERS:
            for strategy in o.strategies.split(','):
                runs = [search(os.path.join(o.build, 'tests/bench-search'), program, strategy, seed, BUDGET, o.seconds, argument=n) for seed in range(1, o.seeds + 1)]
                first = [int(g.get('first', 0)) or BUDGET for g in runs]
                print(f'{name} {n}, {strategy}\t{statistics.median(first):g} ({min(first)}..{max(first)})\tschedules\t<= {most}', flush=True)
                if max(first) > most and (name != 'alike_setters' or n > 2):
                    wrong.append(f'{name} {n}, {strategy}: {max(first)}')
    print('\n'.join(wrong))
    sys.exit(bool(wrong) and o.check)


if __name__ == '__main__':
    main()
