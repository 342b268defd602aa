#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run_corpus.py BIN_DIR PROGRAM EXPECT_JSON VARIANT [brief] [HUNT_OPTION...]: hunt one program and compare with what expect.json
says. `brief`: a smoke test of a correct program by so many schedules as the options say; it may end undecided."""
import os
import shlex
import xml.parsers.expat

from e2e import Failed, Place, check, main, need
from expect import load

VERDICT_IS_FINE = {"none": 0, "sequential": 0}
HUNT_LONGEST = "--time=300"  # what is searched does not depend on how fast the machine is
REFINE = ("--refine=4", "--refine=40")  # what is told after the tuple is known is not compared; a slow machine has more time for that
HUNT_CORRECT = "--budget=30000"


def allowed(value):
    return value if isinstance(value, list) else [value]


def compare(want, got, ran):
    check(got["verdict"] in allowed(want["verdict"]), f"verdict {got['verdict']}, expected {want['verdict']}", ran)
    check(ran.code == VERDICT_IS_FINE.get(got["verdict"], 1), f"exit code {ran.code} does not fit the verdict {got['verdict']}", ran)
    for part in want["signature_contains"]:
        check(part in (got["signature"] or ""), f"the signature does not name {part}", ran)
    if want["tuple"] is None:
        check(got["tuple"] is None or got["verdict"] not in (*VERDICT_IS_FINE, "regardless"), "a tuple, where there is none", ran)
        return
    check(got["tuple"] is not None, "no tuple", ran)
    for member in "cvt":
        check(got["tuple"][member] in allowed(want["tuple"][member]), f"{member} = {got['tuple'][member]}, expected {want['tuple'][member]}", ran)


def check_points(want, got, ran):
    most = want.get("points_most")
    check(most is None or got["points"] <= most, f"{got['points']} operations in the first run, at most {most} expected", ran)


def check_proof(place, got, ran):
    """What the hunt wrote is there, is well-formed, and replays."""
    failure = place.path(got["failure"])
    check(os.path.getsize(failure) > 0, "failure.json is empty", ran)
    svg = place.path("order.svg")
    check(os.path.exists(svg), "no order.svg", ran)
    try:
        with open(svg, "rb") as f:
            xml.parsers.expat.ParserCreate().ParseFile(f)
    except xml.parsers.expat.ExpatError as e:
        raise Failed(f"order.svg is not XML: {e}")
    replayed = place.run(*shlex.split(got["replay_command"]), timeout=60)
    check(replayed.code == 1, "the replay command does not show the failure again", replayed)


def hunt(place, want, options, program):
    """Once more with more time, if it had not come to the simplest order."""
    for refine in REFINE:
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", HUNT_LONGEST, refine, *options, "--", program, timeout=400)
        got = ran.json() if ran.code == 1 else None
        if not got or not got["tuple"] or not want["tuple"] or all(got["tuple"][m] in allowed(want["tuple"][m]) for m in "cvt"):
            break
    return ran


def test(bin_dir, program, expect_path, variant, *options):
    need(program)
    want = load(expect_path, variant)
    brief = options[:1] == ("brief",)
    options = options[1:] if brief else options
    if want["correct"] and not options:
        options = (HUNT_CORRECT, *want.get("hunt_options", []))
    else:
        options = (*want.get("hunt_options", []), *options)
    with Place(bin_dir) as place:
        ran = hunt(place, want, options, program)
        check(ran.code in (0, 1) or (brief and ran.code == 3), "the hunt proves nothing", ran)
        got = ran.json()
        check_points(want, got, ran)
        if brief:
            check(got["verdict"] in allowed(want["verdict"]) and got["accesses"] > 0, f"verdict {got['verdict']}, expected {want['verdict']}", ran)
            place.none_left()
            return
        compare(want, got, ran)
        if ran.code == 1 and got["verdict"] != "regardless":
            check_proof(place, got, ran)
        if ran.code == 0:
            check(not os.path.exists(place.path("failure.json")), "a failure.json without a failure", ran)
            check("sequentially consistent" in got["statement"].lower() or want["verdict"] == "sequential", "the statement does not say what it rests on", ran)
        place.none_left()


main(test)
