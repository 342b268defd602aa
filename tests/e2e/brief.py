#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""brief.py SEARCH BUDGET PROGRAM...: a search comes to the same whether runs are told by their class or in full, and failing ones in short or in full.

For each program and each strategy of random schedules SEARCH (tests/bench/search) is run both ways, and with two processes; all that it says
but the time must be the same: schedules, classes, findings, their lowest (c, v). A program with so much to it that a search took more than LONG
seconds is not searched again by other strategies."""
import subprocess
import sys

STRATEGIES = ('random', 'pos', 'surw', 'pct', 'pctvb', 'pcttb', 'portfolio')
LONG = 20
SAYS_NOTHING = ('seconds', 'brief', 'short')


def search(command, strategy, program, budget, *options):
    done = subprocess.run([command, '--all', '--budget', budget, '--seconds', '120', *options, strategy, '1', program], capture_output=True, text=True, timeout=200)
    if done.returncode != 0:
        sys.exit(f'{program}, {strategy}: exit code {done.returncode}\n{done.stderr}')
    words = done.stdout.split()
    return dict(zip(words[::2], words[1::2]))


def compare(command, strategy, program, budget):
    """Runs that were told by their class, failing ones told in short, runs, seconds."""
    some, two, whole = (search(command, strategy, program, budget, *o) for o in ((), ('--jobs', '2'), ('--tell-all',)))
    if whole['brief'] != '0' or whole['short'] != '0':
        sys.exit(f'{program}, {strategy}: --tell-all does not tell all')
    for how, got in (('one process', some), ('two processes', two)):
        differ = [f'{k}: {got[k]} and {whole[k]}' for k in whole if k not in SAYS_NOTHING and got[k] != whole[k]]
        if differ:
            sys.exit(f'{program}, {strategy}, {how}: by classes and in full differ: {", ".join(differ)}')
    return int(some['brief']), int(some['short']), int(some['schedules']), float(whole['seconds'])


def main():
    command, budget, *programs = sys.argv[1:]
    brief = short = runs = 0
    for program in programs:
        for strategy in STRATEGIES:
            b, s, n, seconds = compare(command, strategy, program, budget)
            brief, short, runs = brief + b, short + s, runs + n
            if seconds > LONG:
                break
    print(f'{len(programs)} programs, {brief} of {runs} runs told by their class, {short} that failed in short')
    if brief < runs / 10 or not short:
        sys.exit('too few runs were told by their class or in short to show anything')


main()
