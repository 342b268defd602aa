#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""timer_looks.py BIN_DIR PROGRAM: a thread looks without waiting whether a timer has gone off, or waits for its signal, which is blocked. That it goes off before the other
threads have done something is found, as a deadline that passes early is, and comes again; a search of thread switches alone does not claim to have tried it."""
import os

from e2e import Place, check, main, need

LOOKS = ("reads", "polls", "epolls", "reads-signal", "takes-signal", "pending")
WAITS = ("waits-signal", "waits-reading")


def hunt(place, program, how, fails, code, *options):
    return place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", "--refine=0.01", *options, "--", program, how, str(fails), expect=code)


def test(bin_dir, program):
    need(program)
    program = os.path.abspath(program)
    with Place(bin_dir) as place:
        for how in LOOKS:
            ran = hunt(place, program, how, 5, 0, "--strategy=dpor")
            check(not ran.json()["complete"] and "signals that come earlier" in " ".join(ran.json()["statement"].split()), f"{how}: switches alone count as all", ran)
        for how in LOOKS + WAITS:
            for fails in (10, 11) if how in LOOKS else (0, 1):
                ran = hunt(place, program, how, fails, 1)
                check(ran.json()["signature"].startswith("assertion:main"), f"{how} {fails}: {ran.json()['signature']}", ran)
        ran = hunt(place, program, "rounds", 5, 3, "--strategy=dpor")
        check(ran.json()["verdict"] in (None, "none"), f"rounds: {ran.json()['verdict']}", ran)
        place.none_left()


main(test)
