#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""max_memory.py BIN_DIR PROGRAM: with --max-memory what does not fit lies on the disk, or where that may not be used is left out, which is said; either way
the search goes on to its time."""
from e2e import Place, check, main, need


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for disk, strategy, left_out in (("--max-disk=1", "portfolio", True), ("--max-disk=100G", "bestfirst", False)):
            ran = place.run("vtb", "hunt", "--seed=1", f"--strategy={strategy}", "--time=15", "--max-memory=500", disk, "--json", "--", program, expect=(0, 3))
            got = ran.json()
            check(got["stopped"] == "time", f"{disk}: the search was stopped by {got['stopped']}", ran)
            check(("for want of memory" in got["statement"]) == left_out and not got["complete"], f"{disk}: what is left out?", ran)
            place.none_left()


main(test)
