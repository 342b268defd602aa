#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""follow_children.py BIN_DIR FORKS_THREADS FORKS_LOCKED CHILD_HANGS [FORK_CHILD_CORRECT]: what goes wrong between a forked child's threads is found with
--follow-children alone; failure.json says so, and a replay goes by it. With one more argument also: a child that does not talk to its parent; a lock by
strategies that draw; and a correct child is searched to the end."""
import json

from e2e import Place, check, main, need


def hunt(place, *options):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=2", *options, timeout=160)
    return ran, ran.json()


def found(got, verdict, function):
    return got["verdict"] == verdict and function in got["signature"] and got["tuple"]["c"] == 1 and got["follow_children"] == 1


def check_threads(place, *program):
    ran, got = hunt(place, "--", *program)
    check(got["verdict"] == "sequential" and "a forked child" in got["statement"] and ran.code == 3, "without the option the child is not controlled, and is named", ran)
    ran, got = hunt(place, "--follow-children", "--", *program)
    check(found(got, "assertion", "child") and "child of fork number 1" in got["statement"], "the child's lost update", ran)
    with open(place.path("failure.json"), encoding="utf-8") as f:
        check(json.load(f)["options"].get("follow_children") == 1, "failure.json does not say which child")
    place.run("vtb", "replay", "--run", "failure.json", expect=1)
    ran, got = hunt(place, "--follow-children=2", "--budget=10", "--", *program)
    check("No run came to fork number 2" in got["statement"], "a fork that there is not", ran)


def check_lock(place, program, *strategies):
    for strategy in strategies:  # what others have still to do comes before the fork, or not at all
        ran, got = hunt(place, "--follow-children", f"--strategy={strategy}", "--", program)
        check(found(got, "condition-deadlock", "lock"), f"fork while another thread holds a lock that the child takes: {strategy}", ran)
        place.run("vtb", "replay", "--run", "failure.json", expect=1)


def check_hangs(place, program, *options):
    ran, got = hunt(place, *options, "--", program)
    check(ran.code == 3 and "a forked child" in got["statement"], "a run that a child hangs: the child is not named", ran)
    check(options or "--follow-children" in got["advice"], "a run that a child hangs: it is not said what would help", ran)
    ran, got = hunt(place, "--follow-children", "--", program)
    check(ran.code == 1 and got["verdict"] in ("regardless", "deadlock"), "with it the child's dead end is found", ran)


def test(bin_dir, threads, locked, hangs, *correct):
    for program in (threads, locked, hangs, *correct):
        need(program)
    with Place(bin_dir) as place:
        check_threads(place, threads, "talks")  # a child that waits for what its parent sends, and answers
        check_lock(place, locked, "dpor", "portfolio")
        check_hangs(place, hangs, *([] if correct else ["--timeout=2"]))  # every run hangs until its time is over
        for program in correct:
            check_threads(place, threads)
            check_lock(place, locked, "random")
            ran, got = hunt(place, "--follow-children", "--", program)
            check(got["verdict"] == "none" and got["complete"], "a correct child", ran)
        place.none_left()


main(test)
