#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stress.py BIN_DIR PROGRAM RUNS: run a program freely until it fails by itself; its recording must lead to a reproduction
within 20 schedules."""
import json
import os

from e2e import SKIPPED, Place, check, main, need


def test(bin_dir, program, runs):
    need(program)
    with Place(bin_dir) as place:
        recorded = place.run("vtb-record", "-o", "run.vtb", f"--repeat={runs}", "--until-fail", "--timeout=5", "--", program, timeout=280)
        check(os.path.exists(place.path("run.vtb")), "nothing was recorded", recorded)
        if recorded.code == 0:
            print(f"skipped: {runs} free runs, and none failed")
            return SKIPPED
        place.run("vtb-decode", "run.vtb", "-o", "trace.json", expect=0)
        place.run("vtb-synth", "trace.json", "--top=20", "-o", "schedules.json", expect=0)
        with open(place.path("schedules.json")) as f:
            count = len(json.load(f)["schedules"])
        check(0 < count <= 20, f"{count} schedules, expected 1 to 20")
        replayed = place.run("vtb-replay", "--run", "schedules.json", timeout=120)
        check(replayed.code == 1, f"none of {count} schedules from the failing recording fails", replayed)
        place.none_left()


main(test)
