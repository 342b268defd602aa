#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile.py BIN_DIR PROGRAM CASE: programs that do what programs under test do on bad days. The tools must survive, say
what happened, and leave nothing behind."""
import os
import time

from e2e import Place, check, main, need

# case: (exit codes of vtb-record, exit codes of vtb hunt, sub-string of the hunt's output or None)
CASES = {
    "ctor_crash": ({134}, {1, 3}, None),
    "forks": ({0}, {0, 3}, None),
    "spawns": ({0}, {0, 3}, None),
    "daemonises": ({0}, {0, 3}, None),
    "closes_fds": ({0, 134}, {1}, None),
    "changes_dir": ({0, 134}, {1}, None),
    "chatty": ({0, 134}, {1}, None),
    "ignores_sigterm": ({124}, {1, 3}, None),
    "stops_itself": ({124}, {1, 3}, None),
    "kills_group": ({128 + 15}, {1, 3}, None),
    "execs_long": ({0}, {0, 3}, None),
}


def record(place, program, case):
    ran = place.run("vtb-record", "-o", "run.vtb", "--timeout=3", "--", program, timeout=60)
    check(ran.code in CASES[case][0], f"vtb-record's exit code is {ran.code}, expected one of {CASES[case][0]}", ran)
    place.none_left()
    decoded = place.run("vtb-decode", "run.vtb", "-o", "trace.json", timeout=60)
    check(decoded.code == 0, "the recording cannot be decoded", decoded)


def hunt(place, program, case):
    seconds = 300 if CASES[case][1] == {1} else 3  # what must be found ends the hunt; else the time does
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--refine=0.5", "--seed=1", f"--time={seconds}", "--", program, timeout=400)
    check(ran.code in CASES[case][1], f"the hunt's exit code is {ran.code}, expected one of {CASES[case][1]}", ran)
    got = ran.json()
    check(got["statement"] or got["verdict"] != "none", "no word about what was done", ran)
    if ran.code == 1 and got["verdict"] != "regardless":
        check(os.path.exists(place.path(got["failure"])), "no failure.json where the hunt was started", ran)
    place.none_left()
    check(len(ran.out) < 1 << 20, "the program's own output flooded the report")


def daemons_do_not_gather(place, program):
    """What a run leaves behind is ended before the next one: there are never many."""
    p = place.start("vtb", "hunt", "--no-canary", "--strategy=random", "--exhaust", "--no-hand-over", "--budget=300", "--", program)
    most = 0
    while p.poll() is None:
        most = max(most, len(place.left()))
        time.sleep(0.02)
    p.communicate()
    check(most < 50, f"{most} processes at a time in a hunt of 300 runs")
    place.none_left()


def test(bin_dir, program, case):
    need(program)
    with Place(bin_dir) as place:
        record(place, program, case)
        hunt(place, program, case)
        if case == "daemonises":
            daemons_do_not_gather(place, program)


main(test)
