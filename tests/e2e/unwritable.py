#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unwritable.py BIN_DIR PROGRAM: a find whose failure.json cannot be written is told all the same; what a limit of the size of files forbids is an error
with one line."""
import os

from e2e import check, main, need, Place


def test(bin_dir, program):
    with Place(bin_dir) as place:
        os.makedirs(place.path("failure.json/in the way"))
        ran = place.run("vtb", "hunt", "--no-canary", "--time=300", "--", need(program), timeout=100, expect=1)
        check(ran.out.startswith("BUG"), "the find is not told", ran)
        check("not written: failure.json: " in ran.out, "it is not said that the file could not be written", ran)
        check("vtb replay" not in ran.out, "a file that is not there cannot be replayed", ran)
        ran = place.run("vtb", "hunt", "--no-canary", "--json", "--time=300", "--", need(program), timeout=100, expect=1)
        check(ran.json()["verdict"] == "assertion" and ran.json()["failure"] is None, "the find is not in the JSON", ran)
        ran = place.run("prlimit", "--fsize=4096", "vtb", "hunt", "--", need(program), timeout=100, expect=2)
        check(ran.err.count("\n") == 1 and "File too large" in ran.err, "a limit of the size of files is not one line with its cause", ran)


main(test)
