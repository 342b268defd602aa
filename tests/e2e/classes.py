#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""classes.py BIN_DIR PROGRAM EXPECT_JSON: an unbounded search by partial orders meets exactly as many classes as were counted
by hand."""
from e2e import SKIPPED, Place, check, main, need
from expect import load


def test(bin_dir, program, expect_path):
    need(program)
    want = load(expect_path, "tsan-gcc")
    if "distinct_schedules" not in want:
        print("skipped: not counted by hand")
        return SKIPPED
    with Place(bin_dir) as place:
        ran = place.run("vtb", "hunt", "--json", "--seed=1", "--time=100", "--strategy=dpor", "--no-predicate", "--keep-going", "--", program, timeout=160)
        got = ran.json()
        check(got["complete"] is True, "the search is not complete", ran)
        check(got["classes"] == want["distinct_schedules"], f"{got['classes']} classes, expected {want['distinct_schedules']}", ran)


main(test)
