#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pid_namespace.py BIN_DIR PROGRAM: in a namespace of processes where /proc is still that of the one around it, and has a process whose parent has the same
number as vtb, a hunt and a recording end what they started, and nothing else is counted or killed. Without /proc a hunt finds what belongs to it and
names places."""
import os
import shutil

from e2e import SKIPPED, check, main, need, Place

INSIDE = ("unshare", "--user", "--map-root-user", "--pid", "--fork")  # what it starts is number 1 there


def children_of_one():
    n = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                n += f.read().rpartition(")")[2].split()[1] == "1"
        except OSError:
            pass
    return n


HIDES = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh")


def without_proc(place, program):
    if place.run(*HIDES, "true").code:
        return
    vtb = os.path.join(place.bin, "vtb")
    ran = place.run(*HIDES, "env", "PATH=/usr/bin:/bin", vtb, "hunt", "--no-canary", "--refine=1", "--", program, expect=1)
    check("3 of 3 replays" in ran.out and "prog.c:14" in ran.out, "without /proc nothing is found, or has a name", ran)
    place.run(*HIDES, "env", "PATH=/usr/bin:/bin", vtb, "replay", "--run", "failure.json", expect=1)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        if not shutil.which("unshare") or place.run(*INSIDE, "true").code:
            return SKIPPED
        without_proc(place, program)
        if not children_of_one():
            return SKIPPED
        ran = place.run(*INSIDE, "vtb", "record", "-o", "run.vtb", "--", program)
        check("left behind" not in ran.err, "strangers are taken for processes that the program has left behind", ran)
        ran = place.run(*INSIDE, "vtb", "hunt", "--budget=50", "--time=300", "--json", "--", program, expect=1)
        check(ran.json()["schedules"] > 0, "nothing ran", ran)
    return None


main(test)
