#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""small_memory.py BIN_DIR PROGRAM: under a small limit of the stack a hunt of PROGRAM, which has a bug, is a hunt as any other; the program has that limit,
too. Where limits of memory leave too little for the runtime, the limit is named, whatever came of it. A run for which there is no process has not passed."""
import os
import shutil

from e2e import Place, check, main, need

STACKS = (32, 64, 128, 1024)  # KiB
TIGHT = (("--as", 100, "RLIMIT_AS"), ("--as", 300, "RLIMIT_AS"), ("--data", 16, "RLIMIT_DATA"))  # MiB


def small_stack(place, program):
    for kib in STACKS:
        ran = place.run("prlimit", f"--stack={kib * 1024}:{kib * 1024}", "vtb", "hunt", "--seed=1", "--refine=2", "--", program)
        check(ran.code == 1 and "BUG" in ran.out, f"stack of {kib} KiB: the bug is not found", ran)
        ran = place.run("prlimit", f"--stack={kib * 1024}:{kib * 1024}", "vtb", "replay", "--run", "failure.json")
        check(ran.code == 1, f"stack of {kib} KiB: it is not replayed", ran)


def named(place, program):
    for option, mib, name in TIGHT:
        ran = place.run("prlimit", f"{option}={mib << 20}:{mib << 20}", "vtb", "hunt", "--seed=1", "--time=3", "--no-canary", "-v", "--", program)
        check(ran.code != 0 and name in ran.out + ran.err, f"{option} {mib} MiB: the limit is not named", ran)
        check("ulimit" in ran.out + ran.err, f"{option} {mib} MiB: what to say is not told", ran)


USER = 54322  # of whom nothing else runs


def no_process(place, program):
    """vtb and its server of runs are all that there may be."""
    shutil.copy(program, place.path("prog"))
    os.chmod(place.dir, 0o777)
    if os.geteuid():
        return  # others of this user count, too
    ran = place.run("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "prlimit", "--nproc=2:2", "vtb", "hunt", "--no-canary", "--engine=forkserver", "--time=30", "--",
                    "./prog", expect=3)
    check("the system makes no process for it" in ran.out and "ulimit -u" in ran.out and "Build the program" not in ran.out, "a run that was not made: the cause is not told", ran)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        small_stack(place, program)
        named(place, program)
        no_process(place, program)
        place.none_left()


main(test)
