#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""max_memory.py BIN_DIR PROGRAM: with --max-memory the search leaves out what does not fit, says so, and goes on to its time."""
from e2e import Place, check, main, need


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        ran = place.run("vtb", "hunt", "--seed=1", "--time=15", "--max-memory=500", "--json", "--", program, expect=(0, 3))
        got = ran.json()
        check(got["stopped"] == "time", f"the search was stopped by {got['stopped']}", ran)
        check("for want of memory" in got["statement"] and not got["complete"], "it does not say what is left out", ran)
        place.none_left()


main(test)
