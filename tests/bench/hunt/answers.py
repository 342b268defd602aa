#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""answers.py BUILD CORPUS [--programs a,b] [--time S]: how long a person waits, over the programs of the corpus that have a bug.

First bug: from the start of a search (portfolio) to the end of its first failing run, start of the program and its names included. Shown: from the
start of vtb hunt on a terminal until it says what it has found, and that is in the file. Answer: until it has explained it, too, and has ended.
Wall clock; median and worst, with the program that is the worst."""
import argparse
import json
import os
import pty
import select
import statistics
import subprocess
import tempfile
import time


def bugs(corpus, build, wanted):
    for name in sorted(os.listdir(corpus)):
        path = os.path.join(build, 'corpus', name, 'tsan-gcc')
        expect = os.path.join(corpus, name, 'expect.json')
        if (wanted and name not in wanted) or not os.path.exists(path) or not os.path.exists(expect):
            continue
        with open(expect) as f:
            if json.load(f).get('correct') is False:
                yield name, path


def waited(command, patience, place, good):
    """Seconds, or None if it came to no such end."""
    began = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=place, timeout=patience)
    except subprocess.TimeoutExpired:
        return None
    return time.monotonic() - began if good(done) else None


def first_bug(o, path, place):
    command = [os.path.join(o.build, 'tests/bench-search'), '--seconds', str(o.time), 'portfolio', '0', path]
    return waited(command, 2 * o.time + 60, place, lambda done: done.returncode == 0 and not done.stdout.startswith('first 0 '))


def read_until(fd, words, until):
    """Has one of the words come by then? What is read last may hold half of one."""
    text = b''
    while time.monotonic() < until:
        if select.select([fd], [], [], 0.05)[0]:
            try:
                text += os.read(fd, 65536)
            except OSError:  # who had the other end is gone
                return False
            if any(word in text for word in words):
                return True
    return False


def shown(o, path, place):
    with tempfile.TemporaryDirectory(dir=place) as empty:
        ours, theirs = pty.openpty()
        began = time.monotonic()
        command = [os.path.join(o.build, 'bin/vtb-hunt'), f'--time={o.time}', '--', path]
        hunt = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=empty, env=dict(os.environ, TERM='xterm'))
        os.close(theirs)
        seen = read_until(ours, (b'hunt: found: ', b'BUG'), began + 2 * o.time + 60) and os.path.exists(os.path.join(empty, 'failure.json'))
        took = time.monotonic() - began
        hunt.kill()
        hunt.wait()
        os.close(ours)
    return took if seen else None


def answer(o, path, place):
    command = [os.path.join(o.build, 'bin/vtb-hunt'), '-q', f'--time={o.time}', '--', path]
    return waited(command, 2 * o.time + 60, place, lambda done: done.returncode == 1)


def rows(name, times):
    found = {program: t for program, t in times.items() if t is not None}
    missed = sorted(set(times) - set(found))
    if not found:
        print(f'{name}\tnot measured\t\t', flush=True)
        return
    worst = max(found, key=found.get)
    note = f'none in {len(missed)}: {", ".join(missed)}' if missed else ''
    print(f'{name}, median of {len(found)}\t{statistics.median(found.values()):.2f}\ts\t{note}')
    print(f'{name}, worst: {worst}\t{found[worst]:.2f}\ts\t{"" if name == "answer" else "<= 1"}', flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('corpus')
    p.add_argument('--programs', default='')
    p.add_argument('--time', type=int, default=10)
    o = p.parse_args()
    wanted = o.programs.split(',') if o.programs else None
    programs = list(bugs(o.corpus, o.build, wanted))
    with tempfile.TemporaryDirectory() as place:
        for name, how in (('first bug', first_bug), ('shown', shown), ('answer', answer)):
            rows(name, {program: how(o, path, place) for program, path in programs})


if __name__ == '__main__':
    main()
