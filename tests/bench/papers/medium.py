# SPDX-License-Identifier: GPL-2.0-or-later
"""Medium compute: 10^6 private accesses a run and one racy variable. What a schedule takes for them, against the same code compiled natively: the time of runs with a million
accesses less that of runs with a thousand. The first schedules of a search at the variable see all accesses; the others are made without the private ones, but for every 256th. And how long a hunt
without options takes to find the bug."""
import os
import resource
import statistics
import subprocess
import tempfile
import time

from tables import Table, driver, verdict

THOUSANDS, FEW, RUNS, ROUNDS = 1000, 1, 40, 3
ADDITIONS = 128  # of each thread to the variable: places enough for the schedules
FIRST, MANY = 70, 326  # schedules: the second number less the first is a period of selective instrumentation, its run with all accesses included
LIMITS = {'pads-gcc': 1.1, 'tsan-gcc': 3.5}
LONGEST = 120  # seconds for a hunt


def native(program, thousands):
    began = time.monotonic()
    for _ in range(RUNS):
        subprocess.run([program, str(thousands), str(ADDITIONS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - began) / RUNS


def seconds(o, program, thousands, schedules):
    """Of a search at the racy variable, one preemption."""
    words = subprocess.run([driver(o), '--all', '--budget', str(schedules), '--c', '1', '--v', '1', '--t', '2', '--focus-var', 'count', '--selective', 'on', 'cvt', '1', program, str(thousands),
                            str(ADDITIONS)], capture_output=True, text=True, check=True).stdout.split()
    got = dict(zip(words[::2], words[1::2]))
    if int(got['schedules']) < schedules:
        raise ValueError(f"the search has ended after {got['schedules']} schedules ({got['end']})")
    return float(got['seconds'])


def controlled(o, program):
    """Seconds that a million accesses take: in the first schedule of all, which sees them; in a period of schedules at one variable."""
    def more(schedules):
        return seconds(o, program, THOUSANDS, schedules) - seconds(o, program, FEW, schedules)
    rows = [(more(1), more(FIRST), more(MANY)) for _ in range(ROUNDS)]
    return statistics.median(row[0] / 2 for row in rows), statistics.median((row[2] - row[1]) / (MANY - FIRST) for row in rows)  # the run of the default schedule is one more


def hunt(o, program):
    """Seconds until a hunt without options has told its find, or None; and its processor time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        code = subprocess.run([os.path.join(o.build, 'bin/vtb-hunt'), '-q', '-o', place, '--', program, str(THOUSANDS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=LONGEST).returncode
        took, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return took if code == 1 else None, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def measure(o):
    programs = {kind: os.path.join(o.build, 'bench-papers/medium', kind) for kind in ('plain', 'tsan-gcc', 'pads-gcc')}
    base = statistics.median(native(programs['plain'], THOUSANDS) - native(programs['plain'], FEW) for _ in range(ROUNDS))
    table = Table('build', 'what is seen', '10^6 accesses, ms', 'times native', 'target', '')
    table.add('native', '', f'{base * 1e3:.2f}', 1, '', '')
    for kind, limit in LIMITS.items():
        whole, quiet = controlled(o, programs[kind])
        table.add(kind, 'all accesses (first schedules)', f'{whole * 1e3:.1f}', f'{whole / base:.0f}', '', '')
        table.add(kind, 'one variable (v = 1)', f'{quiet * 1e3:.2f}', f'{quiet / base:.2f}', f'<= {limit}',
                  verdict(quiet <= limit * base, f'{quiet / base:.2f} times; one schedule of 256 sees all accesses, which is {whole / base / 256:.2f} of it (load {os.getloadavg()[0]:.0f})'))
    finds = Table('build', 'found after, s', 'processor time, s', 'target', '')
    for kind in LIMITS:
        took, used = hunt(o, programs[kind])
        why = f'{used:.1f} s of processor time at load {os.getloadavg()[0]:.0f}: most of it in runs that see all accesses'
        finds.add(kind, f'{took:.1f}' if took else 'none', f'{used:.1f}', '<= 60', verdict(bool(took) and took <= 60, why))
