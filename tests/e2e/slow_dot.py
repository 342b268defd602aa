#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""slow_dot.py BIN_DIR PROGRAM: a dot that does not end is stopped; the answer is told all the same, and that there is no picture.
One of an earlier failure is not there, either; what somebody else has put there has another name."""
import os

from e2e import Place, check, main


def test(bin_dir, program):
    with Place(bin_dir) as place:
        os.mkdir(place.path("slow"))
        with open(place.path("slow/dot"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec sleep 1000\n")
        os.chmod(place.path("slow/dot"), 0o755)
        with open(place.path("order.svg"), "w", encoding="utf-8") as f:
            f.write("<svg><!-- Title: vtb failure -->another one</svg>")
        with open(place.path("order.dot"), "w", encoding="utf-8") as f:
            f.write("mine")
        place.env["PATH"] = place.path("slow") + ":" + place.env["PATH"]
        ran = place.run("vtb", "hunt", "--no-canary", "--time=10", "--refine=1", "--", os.path.abspath(program), timeout=100, expect=1)
        check("not written: dot was stopped after 10 s" in ran.out and "failure.json order.dot" in ran.out, "the picture that there is not", ran)
        check(not os.path.exists(place.path("order.svg")), "the picture of another failure stands beside this one", ran)
        with open(place.path("order.dot.old"), encoding="utf-8") as f:
            check(f.read() == "mine", "somebody's file is not kept")
        place.none_left()


main(test)
