# SPDX-License-Identifier: GPL-2.0-or-later
"""vtb hunt with one and with more target processes: the same verdict, tuple, schedules, classes and failure.

usage: jobs.py BIN_DIR PROGRAM ENGINE..."""
import json
import os
import subprocess
import sys
import tempfile

SAME = ('verdict', 'signature', 'tuple', 'schedules', 'classes', 'blocked', 'complete', 'strategy')


def hunt(bin_dir, program, engine, jobs):
    with tempfile.TemporaryDirectory() as work:
        run = subprocess.run([os.path.join(bin_dir, 'vtb'), 'hunt', '--json', '--no-canary', '--seed=1', f'--engine={engine}', f'--jobs={jobs}', '--budget=600', '-o', work, '--', program],
                             capture_output=True, text=True, timeout=300, check=False)
        if run.returncode not in (0, 1, 3):
            sys.exit(f'hunt --engine={engine} --jobs={jobs} ended with {run.returncode}:\n{run.stderr}')
        found = json.loads(run.stdout)
        path = os.path.join(work, 'failure.json')
        schedule = None
        if os.path.exists(path):
            with open(path, encoding='utf-8') as f:
                schedule = json.load(f).get('schedule')
        return {**{k: found.get(k) for k in SAME}, 'status': run.returncode, 'schedule': schedule}


def main():
    bin_dir, program = sys.argv[1:3]
    for engine in sys.argv[3:]:
        one = hunt(bin_dir, program, engine, 1)
        if not one['schedules']:
            sys.exit('nothing was run')
        for jobs in (2, 3):
            other = hunt(bin_dir, program, engine, jobs)
            if other != one:
                sys.exit(f'{engine}: --jobs=1 and --jobs={jobs} differ:\n{one}\n{other}')


main()
