#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""child_orders.py BIN_DIR PROGRAM HOW...: a thread lets a child process go on, another one looks at what the child has done: both orders are found by classes. How
it is let go on, and how it is looked at, are HOW. Where time decides, or what nobody sees, nothing is claimed, and it is said why; who waits for a child alone keeps the claim."""
import os

from e2e import Place, check, main, need

UNDECIDED = ("sleeps", "timer", "semaphore")
WHY = "a child process ran on or slept while threads did, or shared what is not seen"


def hunt(place, program, how, fails, code):
    return place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", "--refine=0.01", "--strategy=dpor", "--", os.path.abspath(program), how, str(fails), expect=code)


def test(bin_dir, program, *hows):
    need(program)
    with Place(bin_dir) as place:
        for how in hows:
            if how == "alone":
                ran = hunt(place, program, how, 2, 0)
                check(ran.json()["complete"], f"{how}: no claim", ran)
            elif how in UNDECIDED:
                ran = hunt(place, program, how, 2, 3)
                check(WHY in " ".join(ran.json()["statement"].split()) and not ran.json()["complete"], f"{how}: it is not said why", ran)
            else:
                for fails in (0, 1):
                    ran = hunt(place, program, how, fails, 1)
                    check(ran.json()["signature"].startswith("assertion:main"), f"{how} {fails}: {ran.json()['signature']}", ran)
        place.none_left()


main(test)
