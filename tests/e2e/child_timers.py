#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""child_timers.py BIN_DIR STARTS TIMED ALARMED: a child process waits while threads go on. What may end that wait by itself (a timer, a time-out of its socket), or names a function
that could have set a timer of which the system does not tell, takes the claim, and it is said why; a program that waits for others leaves it."""
from e2e import Place, check, main, need

WHY = "a child process ran on or slept while threads did, or shared what is not seen"
UNDECIDED = (("timer", "timed_child"), ("descriptor", "timed_child"), ("socket", "timed_child"), ("alarm", "alarmed_child"), ("ualarm", None), ("syscall", None))
DECIDED = (("quiet", 1), ("input", 2))  # and how many things are printed


def hunt(place, starts, how, child, code):
    words = [] if child is None else [child]
    return place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", "--strategy=dpor", "--", starts, how, *words, expect=code)


def test(bin_dir, starts, timed, alarmed):
    programs = {None: None, "timed_child": timed, "alarmed_child": alarmed}
    for program in (starts, timed, alarmed):
        need(program)
    with Place(bin_dir) as place:
        for how, child in UNDECIDED:
            ran = hunt(place, starts, how, programs[child], 3)
            check(WHY in " ".join(ran.json()["statement"].split()) and not ran.json()["complete"], f"{how}: it is not said why", ran)
        for how, printed in DECIDED:
            ran = hunt(place, starts, how, timed, 0)
            check(ran.json()["complete"] and ran.json()["outputs"]["variants"] == printed, f"{how}: no claim, or not all was seen", ran)
        place.none_left()


main(test)
