# SPDX-License-Identifier: GPL-2.0-or-later
"""Medium compute: 10^6 private accesses a run and one racy variable. What a schedule at one variable takes for them, against the same code compiled natively: the
time of runs with a million accesses less that of runs with a thousand. And how long a hunt without options takes to find the bug."""
import os
import statistics
import subprocess
import tempfile
import time

from tables import Table, driver, verdict

THOUSANDS, FEW, RUNS, ROUNDS = 1000, 1, 40, 3
SCHEDULES = 24  # of a search: the first runs see all accesses, and count
LIMITS = {'pads-gcc': 1.1, 'tsan-gcc': 3.5}


def native(program, thousands):
    began = time.monotonic()
    for _ in range(RUNS):
        subprocess.run([program, str(thousands)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - began) / RUNS


def controlled(o, program, thousands):
    """Seconds a schedule of a search at one variable."""
    words = subprocess.run([driver(o), '--all', '--budget', str(SCHEDULES), '--c', '1', '--v', '1', '--selective', 'on', 'cvt', '1', program, str(thousands)],
                           capture_output=True, text=True, check=True).stdout.split()
    got = dict(zip(words[::2], words[1::2]))
    return float(got['seconds']) / max(1, int(got['schedules']))


def hunt(o, program):
    """Seconds until a hunt without options has told its find, or None."""
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        code = subprocess.run([os.path.join(o.build, 'bin/vtb-hunt'), '-q', '-o', place, '--', program, str(THOUSANDS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        return time.monotonic() - began if code == 1 else None


def measure(o):
    programs = {kind: os.path.join(o.build, 'bench-papers/medium', kind) for kind in ('plain', 'tsan-gcc', 'pads-gcc')}
    base = statistics.median(native(programs['plain'], THOUSANDS) - native(programs['plain'], FEW) for _ in range(ROUNDS))
    table = Table('build', '10^6 accesses, ms', 'times native', 'target', '')
    table.add('native', f'{base * 1e3:.2f}', 1, '', '')
    finds = Table('build', 'found after, s', 'target', '')
    for kind, limit in LIMITS.items():
        more = controlled(o, programs[kind], THOUSANDS) - controlled(o, programs[kind], FEW)
        table.add(kind, f'{more * 1e3:.2f}', f'{more / base:.2f}', f'<= {limit}', verdict(more <= limit * base, f'{more / base:.0f} times: runs that see all accesses are among them (load {os.getloadavg()[0]:.0f})'))
        seconds = hunt(o, programs[kind])
        finds.add(kind, f'{seconds:.1f}' if seconds else 'none', '<= 60', verdict(bool(seconds) and seconds <= 60, 'not found in the 60 s of a hunt' if not seconds else f'{seconds:.1f} s'))
    return [table, finds]
