#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shapes.py BUILD SOURCE [--sets a,b] [--seeds N] [--seconds S] [--strategies s,t] [--numbers N,N] [--names a,b] [--target N] [--check]: how soon small programs fail, 2 to 100 threads.

Sets: shapes, 60 programs with bugs of well-known shapes (shapes.c); others, 80 of other shapes (bare_shapes.c, locked_shapes.c), which tell whether what
is good for the first is good for more; handed, 40 in which one thread wakes another or hands something over (handed_shapes.c); timed, 44 in which time, a signal or a third thread
has a say (timed_shapes.c); late, 28 in which something comes too late or comes back (late_shapes.c); soon, what the opening is held to one by one (soon_shapes.c); corpus and table1, the programs there that have a bug. Prints schedules to the first failing run by shape or program
(median and range over numbers of threads and seeds, the hunt's own first run included), then the median of all, and those above the target. With --check: exits 1 if one is above
the target."""
import argparse
import json
import os
import re
import statistics
import sys

from table1 import search

NUMBERS = '2,5,20,100'
BUDGET = 400
TARGET = 40
SOURCES = {'shapes': ['shapes'], 'others': ['bare_shapes', 'locked_shapes'], 'handed': ['handed_shapes'], 'timed': ['timed_shapes'], 'late': ['late_shapes'], 'soon': ['soon_shapes']}


def of_sources(o, sources):
    """Label -> programs with arguments."""
    groups = {}
    for source in sources:
        program = os.path.join(o.build, 'bench-search', source, 'tsan-gcc')
        with open(os.path.join(o.source, 'tests/bench/search', source + '.c')) as f:
            for shape in re.findall(r'\{ "(\w+)", \w+ \}', f.read()):
                groups[shape] = [(f'{shape} {n}', program, [shape, n]) for n in o.numbers.split(',')]
    return groups


def of_folder(o, folder):
    groups = {}
    for name in sorted(os.listdir(os.path.join(o.source, 'data', folder))):
        program = os.path.join(o.build, folder, name, 'tsan-gcc')
        expect = os.path.join(o.source, 'data', folder, name, 'expect.json')
        if not os.path.exists(program) or not os.path.exists(expect):
            continue
        with open(expect) as f:
            if json.load(f).get('correct') is not True:
                groups[name] = [(name, program, None if folder == 'table1' else [])]
    return groups


def firsts(o, program, argument, strategy):
    driver = os.path.join(o.build, 'tests/bench-search')
    runs = [search(driver, program, strategy, seed, BUDGET, o.seconds, argument=argument) for seed in range(1, o.seeds + 1)]
    return [int(g.get('first', 0)) or BUDGET for g in runs]


def measure(o, name, groups, strategy):
    every = {}
    for label, programs in groups.items():
        of_group = {program: firsts(o, path, argument, strategy) for program, path, argument in programs}
        first = [f for some in of_group.values() for f in some]
        print(f'{label}, {strategy}\t{statistics.median(first):g} ({min(first)}..{max(first)})\tschedules\t', flush=True)
        every.update(of_group)
    print(f'{name}: {len(every)} programs, {strategy}\t{statistics.median([f for some in every.values() for f in some]):g}\tschedules\t<= 5')
    worst = max(every, key=lambda program: max(every[program]))
    print(f'{name}, worst: {worst}, {strategy}\t{max(every[worst])}\tschedules\t<= {o.target}')
    for program, some in every.items():
        if max(some) > o.target:
            print(f'    {program}: {" ".join(map(str, some))}')
    return max(every[worst])


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('source')
    p.add_argument('--sets', default='shapes,others,handed,timed,late,corpus,table1')
    p.add_argument('--seeds', type=int, default=20)
    p.add_argument('--seconds', type=int, default=10)
    p.add_argument('--strategies', default='portfolio')
    p.add_argument('--numbers', default=NUMBERS)
    p.add_argument('--names', default='')
    p.add_argument('--target', type=int, default=TARGET)
    p.add_argument('--check', action='store_true')
    o = p.parse_args()
    worst = 0
    for name in o.sets.split(','):
        groups = of_sources(o, SOURCES[name]) if name in SOURCES else of_folder(o, name)
        if o.names:
            groups = {label: groups[label] for label in o.names.split(',')}
        for strategy in o.strategies.split(','):
            worst = max(worst, measure(o, name, groups, strategy))
    if o.check and worst > o.target:
        sys.exit(1)


if __name__ == '__main__':
    main()
