#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""limits.py BIN_DIR SOURCE_DIR PROGRAM: a correct program passes each limit of the runtime. It is no bug; what is refused is named."""
import os
import re

from e2e import Failed, Place, check, main, need

ROW = re.compile(r'^VTB_LIMIT\((\w+),\s*(\d+),\s*(GROWS|REFUSES),\s*"([^"]*)"\)')
# Where the number is not the table's: descriptors run out where the second one of each no longer fits, which lies from 700 on.
ENOUGH = {"DESCRIPTORS": 400}


def limits(source_dir):
    with open(os.path.join(source_dir, "runtime", "sched", "run_limits.def")) as f:
        rows = [m.groups() for m in map(ROW.match, f) if m]
    if len(rows) < 10:
        raise Failed(f"the table has {len(rows)} rows")
    return rows


def pass_one(place, program, name, entries, then, what):
    n = ENOUGH.get(name, int(entries) + int(entries) // 10 + 4)
    hunt = ("vtb", "hunt", "--seed=1", "--time=60", "--timeout=60", "--budget=10", "--json")
    ran = place.run("prlimit", "--nofile=1024:1024", *hunt, "--", program, name, str(n), timeout=150)
    got = ran.json()
    check(not got["findings"], f"{name}: a correct program has a bug", ran)
    if then == "GROWS" or name == "SEMBUFS":  # the kernel says no first
        check(got["verdict"] in ("none", "sequential"), f"{name}: verdict {got['verdict']}", ran)
        return
    check(ran.code == 3, f"{name}: exit {ran.code}", ran)
    check(what in ran.out, f"{name}: the limit is not named", ran)


def test(bin_dir, source_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for row in limits(source_dir):
            pass_one(place, program, *row)
        place.none_left()


main(test)
