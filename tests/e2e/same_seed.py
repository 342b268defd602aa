#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_seed.py BIN PROGRAM SEED...: a hunt with the same seed says the same on a fast machine and on a slow one.

The slow one is this one, while as many processes as there are processors, and two, spin, and the hunt has the lowest priority. All of the
hunt's JSON is compared but what speaks of time and of files."""
import os
import signal
import subprocess
import sys

from e2e import Place, check, main, need

OF_TIME = {"seconds", "schedules_per_second", "failure", "replay_command", "peak_memory"}
BUDGET = 3000  # schedules: time must not end the search


def said(value):
    """Without what speaks of time, at any depth."""
    if isinstance(value, dict):
        return {k: said(v) for k, v in value.items() if k not in OF_TIME}
    return [said(v) for v in value] if isinstance(value, list) else value


def hunt(place, program, seed, *before):
    ran = place.run(*before, os.path.join(place.bin, "vtb"), "hunt", "--json", "--no-canary", f"--seed={seed}", "--time=600", f"--budget={BUDGET}", "--", program, expect=(0, 1))
    return said(ran.json())


def spin():
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(os.cpu_count() + 2)]


def test(bin_dir, program, *seeds):
    program = need(program)
    with Place(bin_dir) as place:
        for seed in seeds:
            fast = hunt(place, program, seed)
            busy = spin()
            try:
                slow = hunt(place, program, seed, "nice", "-n", "19")
            finally:
                for p in busy:
                    os.killpg(p.pid, signal.SIGKILL)
                    p.wait()
            differ = sorted(k for k in set(fast) | set(slow) if fast.get(k) != slow.get(k))
            check(not differ, f"seed {seed}: {', '.join(f'{k}: {fast.get(k)!r} and {slow.get(k)!r}' for k in differ)}")


main(test)
