#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""loops.py BIN_DIR SOURCE COMPILER PROGRAM: a recording of loops, most of which is written as runs, holds each access of them, also of a process that
was killed; in a build with -fsanitize=thread (PROGRAM) and in one with pads (SOURCE)."""
from e2e import Place, check, main, need

HALF, ROUNDS = 1500, 12


def look(place, program, *args):
    ran = place.run("vtb-record", "-o", "run.vtb", "--", program, *args, expect=None)
    place.run("vtb-decode", "run.vtb", "-o", "trace.json")
    profile = place.run("vtb-hb", "--profile", "--all", "--json", "trace.json").json()["profile"]
    seen = {v["variable"]: v for v in profile["variables"]}
    for k in range(2 * HALF):
        thread = [f"0.{k // HALF}"]
        read, written = seen.get(f"from[{k}]"), seen.get(f"to[{k}]")
        check(read and (read["reads"], read["writes"], read["readers"]) == (ROUNDS, 0, thread), f"from[{k}] was not read {ROUNDS} times by {thread}: {read}", ran)
        check(written and (written["reads"], written["writes"], written["writers"]) == (0, ROUNDS, thread), f"to[{k}] was not written {ROUNDS} times by {thread}: {written}", ran)


def test(bin_dir, source, compiler, program):
    with Place(bin_dir) as place:
        place.run("vtb", "cc", compiler, "-g", "-O1", "-o", "pads", source, "-pthread")
        for build in (need(program), "./pads"):
            look(place, build)
            look(place, build, "killed")


main(test)
