#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""input.py BIN_DIR PROGRAM: what a pipe brings is the input of every run, also in several processes, and of a replay."""
from e2e import Place, check, main, need

BUG = "yes 3 | head -100001"  # longer than a pipe holds
NONE = "yes 3 | head -100000"


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        hunt = f"vtb hunt --seed=1 --time=20 {{}} -- {program}"
        for options in ("", "--jobs=2", "--engine=exec"):
            ran = place.run("sh", "-c", f"{BUG} | {hunt.format(options)}", expect=(1,))
            check("BUG  assertion failed" in ran.out, "the bug is not found", ran)
            place.run("sh", "-c", f"{BUG} | vtb replay --run failure.json", expect=(1,))
        ran = place.run("sh", "-c", f"{NONE} | {hunt.format('')}", expect=(0,))
        ran = place.run("sh", "-c", f"sleep 8 | {hunt.format('--budget=5')}", timeout=60)
        check("schedules" in ran.out, "a pipe that brings nothing and does not end stops the hunt", ran)
        ran = place.run("sh", "-c", f"head -c 70000000 /dev/zero | {hunt.format('')}", expect=(2, 3))
        check("longer than 64 MB" in ran.err + ran.out, "the limit is not named", ran)


main(test)
