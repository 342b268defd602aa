#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""table1.py BUILD SOURCE [--shuffles N] [--names a,b] [--strategies s,t] [--limit FACTOR] [--seconds S] [--check]: the programs of data/table1.

Prints one line per program and strategy: schedules as [CVT13] reports them, ours (median, least, most over the shuffles).
With --check: exits 1 unless for the strategy cvt at least 14 medians are <= max(4, the paper's), every bug is found and
threads and variables are as listed."""
import argparse
import json
import os
import statistics
import subprocess
import sys


def search(driver, program, strategy, seed, budget, seconds, *more, argument=None):
    """What bench-search prints; {} if it came to no end, for instance in runs that spin. The program's argument, or list of them, is the seed if none
    is given."""
    words = argument if isinstance(argument, list) else [seed if argument is None else argument]
    command = [driver, '--budget', str(budget), '--seconds', str(seconds), *more, strategy, str(seed), program, *map(str, words)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 2 + 60)
    except subprocess.TimeoutExpired:
        return {}
    line = done.stdout.split()
    if done.returncode != 0 or not line:  # not a search that found nothing
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}, it prints {done.stdout[:200]!r}\n{done.stderr}")
    return dict(zip(line[::2], line[1::2]))


def row(o, name, strategy):
    with open(os.path.join(o.source, 'data/table1', name, 'expect.json')) as f:
        expect = json.load(f)
    program = os.path.join(o.build, 'table1', name, 'tsan-gcc')
    budget = max(1000, int(o.limit * expect['schedules']))
    got = [search(os.path.join(o.build, 'tests/bench-search'), program, strategy, seed, budget, o.seconds) for seed in range(1, o.shuffles + 1)]
    first = [int(g.get('first', 0)) or budget * 10 for g in got]
    return expect, got, statistics.median(first), min(first), max(first)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('source')
    p.add_argument('--shuffles', type=int, default=20)
    p.add_argument('--names', default='')
    p.add_argument('--strategies', default='cvt')
    p.add_argument('--limit', type=float, default=2)
    p.add_argument('--seconds', type=int, default=20)
    p.add_argument('--check', action='store_true')
    o = p.parse_args()
    names = o.names.split(',') if o.names else sorted(os.listdir(os.path.join(o.source, 'data/table1')))
    names = [n for n in names if os.path.isdir(os.path.join(o.source, 'data/table1', n))]
    within, wrong = 0, []
    for name in names:
        for strategy in o.strategies.split(','):
            expect, got, median, least, most = row(o, name, strategy)
            paper = expect['schedules']
            within += strategy == 'cvt' and median <= max(4, paper)
            failed = sum(int(g.get('first', 0)) == 0 for g in got)
            print(f'{name}, {strategy}: paper {paper}\t{median:g} ({least}..{most})\tschedules\t<= {max(4, paper)}'
                  + (f', not found {failed} of {o.shuffles}' if failed else ''), flush=True)
            if strategy == 'cvt' and failed == len(got):
                wrong.append(f'{name}: never found')
        seen = search(os.path.join(o.build, 'tests/bench-search'), os.path.join(o.build, 'table1', name, 'tsan-gcc'), 'cvt', 0, 20, 60, '--all')
        if (int(seen.get('threads', 0)), int(seen.get('variables', 0))) != (expect['threads'], expect['variables']):
            wrong.append(f"{name}: {seen.get('threads')} threads, {seen.get('variables')} variables")
    if o.check:
        print(f'{within} of {len(names)} within the paper\'s number')
        print('\n'.join(wrong))
        sys.exit(within < len(names) - 2 or bool(wrong))


if __name__ == '__main__':
    main()
