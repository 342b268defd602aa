# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 1 of [CVT13]: schedules until cvt's first failing run, over shuffles of workers and variables, on the programs of data/table1.

Variants: the variables that fill a program up to the paper's number are touched by one thread each, or by two."""
import json
import os
import statistics

from tables import Table, driver, search, spread, verdict, why_none

VARIANTS = {'private': (), 'shared': ('shared',)}
ROUNDS, PATIENCE = 20, 20  # shuffles, seconds a search
MARGIN = 4  # that many times the paper's number is looked for


def firsts(o, program, paper, words):
    budget = max(1000, MARGIN * paper)
    shuffles = range(1, (o.seeds or ROUNDS) + 1)
    got = [search(driver(o), program, 'cvt', n, budget, o.seconds or PATIENCE, argument=[str(n), *words]) for n in shuffles]
    return [int(g.get('first', 0)) or None for g in got], got


def judge(numbers, got, paper):
    """The median, what was not found counting as later than all, is at most the paper's number."""
    median = statistics.median(n or float('inf') for n in numbers)
    if median <= paper:
        return verdict(True)
    missed = [g for n, g in zip(numbers, got) if n is None]
    return verdict(False, why_none(missed[0]) if missed else f'{median:g} schedules, {median - paper:g} too many')


def measure(o):
    root = os.path.join(o.source, 'data/table1')
    table = Table('program', 'threads', 'variables', 'padding', 'paper', 'schedules', '')
    for name in sorted(n for n in os.listdir(root) if os.path.isdir(os.path.join(root, n))):
        with open(os.path.join(root, name, 'expect.json')) as f:
            expect = json.load(f)
        for variant, words in VARIANTS.items():
            numbers, got = firsts(o, os.path.join(o.build, 'table1', name, 'tsan-gcc'), expect['schedules'], words)
            table.add(name, expect['threads'], expect['variables'], variant, expect['schedules'], spread(numbers), judge(numbers, got, expect['schedules']))
    return [table]
