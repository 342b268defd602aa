#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rates.py BUILD SOURCE [--seconds S] [--strategies s,t] [--programs a,b]: schedules and classes a second, of searches on real programs.

A rate is that of two searches of one kind, of which one is only the start (--budget 1): what a search costs before its first schedule is taken
off. "cpu": a second of processor time of both sides, the search and the program; "wall": a second of the clock. The engine alone executes
random schedules that are prepared ahead, and nobody reads its runs. The prototype, a throw-away program, does not report runs at all."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

# name, path in the build directory, arguments, threads besides main
PROGRAMS = [
    ('account', 'corpus/account/tsan-gcc', [], 2),
    ('3 threads, 40 points', 'engines-programs/prog41/tsan-gcc', ['silent'], 3),
    ('the same, printing a line', 'engines-programs/prog41/tsan-gcc', [], 3),
    ('additions', 'bench-search/additions/tsan-gcc', ['4'], 3),
    ('stealing, 2400 points', 'bench-hunt/steal/tsan-gcc', [], 1),
    ('11 threads print 150 lines', 'bench-hunt/prints/tsan-gcc', [], 10),
    ('C++ pool', 'bench-hunt/pool/tsan-gcc', [], 3),
    ('100 threads', 'bench-engine/threads100/tsan-gcc', [], 100),
]
PROTOTYPE = '../shared/prototype/fiber'
FIBERS_MAX = 62  # of the prototype
FEW = 200        # schedules: a rate of fewer says nothing


def cpu_of(command, environment=None):
    """Processor time and clock of a command and of what it waited for, and what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began, done)


def search(o, strategy, program, arguments, jobs, *bounds):
    command = [os.path.join(o.build, 'tests/bench-search'), '--all', '--jobs', str(jobs), *bounds, strategy, '1', program, *arguments]
    cpu, wall, done = cpu_of(command)
    words = done.stdout.split()
    if done.returncode != 0 or not words:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return cpu, wall, dict(zip(words[::2], words[1::2]))


def raw_rate(o, program, arguments):
    done = subprocess.run([os.path.join(o.build, 'tests/run-engines'), 'rate-of', 'snapshot-scan', program, *arguments], capture_output=True, text=True)
    return float(done.stdout.split('\t')[1]) if done.returncode == 0 else None


def build_prototype(o, work):
    folder = os.environ.get('PROTOTYPE', os.path.join(o.source, PROTOTYPE))
    made = os.path.isdir(folder) and subprocess.run(['gcc', '-O2', '-w', '-mfsgsbase', '-shared', '-fPIC', '-o', os.path.join(work, 'libtsan.so.2'),
                                                     os.path.join(folder, 'rt.c'), '-ldl'], capture_output=True).returncode == 0
    return work if made else None


def prototype_rate(o, library, program, arguments, threads):
    """Random schedules of the same binary; None: there is no prototype, or it cannot run the program."""
    if not library or threads > FIBERS_MAX:
        return None
    settings = dict(os.environ, GLIBC_TUNABLES='glibc.pthread.rseq=0', LD_BIND_NOW='1', LD_LIBRARY_PATH=library, FIB_MODE='snap', FIB_SNAP='4',
                    FIB_POOL=str(threads), FIB_RAND='1')
    for runs in (500, 5000, 50000, 500000):
        try:
            cpu, _, done = cpu_of(['timeout', '20', program, *arguments], dict(settings, FIB_N=str(runs)))
        except (subprocess.TimeoutExpired, OSError):
            return None
        said = re.search(r'cpu=([0-9.]+)us/sched sched=(\d+)', done.stderr)
        if not said or int(said[2]) != runs:
            return None
        if cpu > o.seconds / 4:
            break
    return 1e6 / float(said[1])


def row(name, value, unit, target=''):
    print(f'{name}\t{value}\t{unit}\t{target}', flush=True)


def measure(o, name, strategy, program, arguments, jobs):
    """Schedules a second of processor time, or None: there were too few."""
    start_cpu, start_wall, _ = search(o, strategy, program, arguments, jobs, '--budget', '1', '--seconds', str(o.seconds))
    cpu, wall, got = search(o, strategy, program, arguments, jobs, '--seconds', str(o.seconds))
    runs, classes = int(got['schedules']), int(got['classes'])
    head = f'{name}, {strategy}' + (f', {jobs} jobs' if jobs > 1 else '')
    done = 'exhausted, ' if got['end'] == 'exhausted' else ''
    if runs < FEW:
        row(head, runs, 'schedules', f'{done}{classes} classes, {wall:.2f} s, the start {start_wall:.2f} s')
        return None
    cpu, wall = max(cpu - start_cpu, 1e-3), max(wall - start_wall, 1e-3)
    row(f'{head}, cpu', f'{runs / cpu:.0f}', 'schedules/s', f'{done}{runs} schedules')
    row(f'{head}, wall', f'{runs / wall:.0f}', 'schedules/s')
    row(f'{head}, cpu', f'{classes / cpu:.0f}', 'classes/s', f'{classes} classes')
    return runs / cpu


def program_rows(o, library, name, path, arguments, threads):
    program = os.path.join(o.build, path)
    raw, prototype = raw_rate(o, program, arguments), prototype_rate(o, library, program, arguments, threads)
    rates = {s: measure(o, name, s, program, arguments, jobs) for jobs in (2, 1) for s in o.strategies.split(',')}
    row(f'{name}, engine alone', f'{raw:.0f}' if raw else 'not measured', 'schedules/s')
    if library:
        row(f'{name}, prototype', f'{prototype:.0f}' if prototype else 'cannot run it', 'schedules/s' if prototype else '')
    for strategy in ('random', 'pos'):
        if rates.get(strategy) and raw:
            row(f'{name}, {strategy} / engine alone', f'{100 * rates[strategy] / raw:.0f}', '%', '>= 60')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('source')
    p.add_argument('--seconds', type=float, default=2)
    p.add_argument('--strategies', default='random,pos,portfolio,dpor')
    p.add_argument('--programs', default='')
    o = p.parse_args()
    wanted = o.programs.split(',') if o.programs else None
    with tempfile.TemporaryDirectory() as work:
        library = build_prototype(o, work)
        for name, path, arguments, threads in PROGRAMS:
            if not wanted or any(w in (name, path.split('/')[1]) for w in wanted):
                program_rows(o, library, name, path, arguments, threads)


if __name__ == '__main__':
    main()
