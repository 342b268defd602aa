# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 1 of [CVT13]: schedules until cvt's first failing run, over shuffles of workers and variables.

Variants: the programs of data/table1, which are filled up to the paper's number of variables with some that are touched by one thread each (private) or by two
(shared); and those of data/fair, which do what the paper's programs are said to do and are not filled up."""
import json
import os
import re
import statistics

from tables import Table, driver, search, spread, verdict, why_none

VARIANTS = {'private': ('table1', ()), 'shared': ('table1', ('shared',)), 'fair': ('fair', ())}
ROUNDS, PATIENCE = 20, 20  # shuffles, seconds a search
SIZE = 2  # times the paper's lines, either way
WHY_SIZE = {'hash_set': 'the paper counts the library that the set is a class of, and says no more of it', 'tree_set': 'the paper counts the library that the set is a class of, and says no more of it',
            'region_ownership': 'a library, of which the paper tells two sentences; its one test, which has the bug, accesses synchronisation variables 280 times'}
MARGIN = 4  # that many times the paper's number is looked for


def firsts(o, program, paper, words):
    budget = max(1000, MARGIN * paper)
    shuffles = range(1, (o.seeds or ROUNDS) + 1)
    got = [search(driver(o), program, 'cvt', n, budget, o.seconds or PATIENCE, argument=[str(n), *words]) for n in shuffles]
    return [int(g.get('first', 0)) or None for g in got], got


def judge(numbers, got, paper):
    """The median, what was not found counting as later than all, is at most the paper's number."""
    median, most = statistics.median(n or float('inf') for n in numbers), paper['schedules']
    if median <= most:
        return verdict(True)
    missed = [g for n, g in zip(numbers, got) if n is None]
    late = f'{sum(n > most for n in numbers if n)} of {len(numbers)} shuffles take more than {most}'
    if not missed and paper['tuple']['c'] == 0:
        late += '; they need another order of threads than that of creation, which comes third: the run that every hunt begins with and the first order of cvt both are that one'
    return verdict(False, why_none(missed[0]) if missed else late)


def seen(o, program, words):
    """Threads and variables of runs."""
    got = search(driver(o), program, 'cvt', 0, 20, 60, '--all', argument=['0', *words])
    return int(got['threads']), int(got['variables'])


def lines_of(path):
    """Lines of code, comments and empty ones left out, with the headers beside the program's folder that it includes."""
    with open(path) as f:
        text = f.read()
    headers = [os.path.join(os.path.dirname(path), name) for name in re.findall(r'#include "(\.\./[^"]*)"', text)]
    own = [line for line in re.sub(r'/\*.*?\*/', '', text, flags=re.S).splitlines() if line.strip()]
    return len(own) + sum(lines_of(h) for h in headers)


def expected(o, name):
    with open(os.path.join(o.source, 'data/fair', name, 'expect.json')) as f:
        return json.load(f)


def measure_sizes(o, names):
    """The programs that are not filled up, by lines of code."""
    table = Table('fair program', 'lines', '(paper)', 'times', '')
    for name in names:
        own, paper = lines_of(os.path.join(o.source, 'data/fair', name, 'prog.c')), expected(o, name)['lines']
        table.add(name, own, paper, f'{own / paper:.2f}', verdict(paper / SIZE <= own <= paper * SIZE, WHY_SIZE.get(name, f'{own} lines')))


def measure(o):
    root = os.path.join(o.source, 'data/table1')
    table = Table('program', 'variant', 'lines', '(paper)', 'threads', '(paper)', 'variables', '(paper)', 'schedules', '(paper)', '')
    names = sorted(n for n in os.listdir(root) if os.path.isdir(os.path.join(root, n)))
    for name in names:
        paper = expected(o, name)
        for variant, (folder, words) in VARIANTS.items():
            program = os.path.join(o.build, folder, name, 'tsan-gcc')
            numbers, got = firsts(o, program, paper['schedules'], words)
            threads, variables = seen(o, program, words)
            table.add(name, variant, lines_of(os.path.join(o.source, 'data', folder, name, 'prog.c')), paper['lines'], threads, paper['threads'], variables,
                      paper['variables'], spread(numbers), paper['schedules'], judge(numbers, got, paper))
    measure_sizes(o, names)
