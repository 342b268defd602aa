#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""real_time.py BIN_DIR PROGRAM: a failure that is there only by the system's clock is found with --real-time alone; failure.json says so, and a replay goes by it."""
import json

from e2e import Place, check, main, need

LONG_NAP = 0.05  # seconds


def hunt(place, *options):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--c=1", "--jobs=1", "--refine=0.5", *options, timeout=100)
    return ran, ran.json()


def check_time_passes(place, program):
    """A lower bound, which no load of the machine can break: each run sleeps."""
    ran, got = hunt(place, "--real-time", "--budget=10", "--engine=exec", "--", program, str(int(LONG_NAP * 1000)))
    check(got["seconds"] >= got["schedules"] * LONG_NAP > 0, f"{got['schedules']} runs slept in {got['seconds']} s", ran)


def check_hunts(place, program):
    ran, got = hunt(place, "--", program)
    check(got["verdict"] == "none" and got["complete"] and not got["real_time"], "virtual time: the failure needs the system's", ran)
    ran, got = hunt(place, "--real-time", "--", program)
    check(got["verdict"] == "assertion" and got["real_time"] and got["tuple"]["c"] == 1, f"--real-time: {got['verdict']}", ran)
    check("system's" in got["statement"], "the statement does not say by which clock", ran)


def check_replays(place):
    with open(place.path("failure.json"), encoding="utf-8") as f:
        failure = json.load(f)
    check(failure["options"].get("real_time") is True, f"options in failure.json: {failure['options']}")
    place.run("vtb", "replay", "--run", "failure.json", expect=1)
    place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=0.5", "--run", "--verify-fix=failure.json", expect=1)
    del failure["options"]["real_time"]
    with open(place.path("virtual.json"), "w", encoding="utf-8") as f:
        json.dump(failure, f)
    place.run("vtb", "replay", "--run", "virtual.json", expect=0)
    place.run("vtb", "replay", "--run", "--real-time", "-o", "again.json", "virtual.json", expect=1)
    with open(place.path("again.json"), encoding="utf-8") as f:
        check(json.load(f)["options"].get("real_time") is True, "vtb-replay --real-time -o does not note it")


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        check_time_passes(place, program)
        check_hunts(place, program)
        check_replays(place)
        place.none_left()


main(test)
