#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""set_up.py BIN_DIR PROGRAM CACHE (tests/engines/programs/begins.c, keeps.cc): a search leaves out what main does before its first thread, if it is much. What it finds is told of
whole runs and comes again; what it claims is what it claims of the same program with little to set up; and a hunt that was killed is resumed to the same."""
import json
import os
import re

from e2e import Place, check, main, need

SMALL, LARGE = "4", "100"  # rounds of setting up: too few operations to be left out, and 1500
HUNT = ("vtb", "hunt", "--json", "--no-canary", "--seed=1", "--time=300")


def claims(place, program, mode, strategies):
    """The classes and the statement of a search that ends do not depend on how much was set up. (engines.without-stem.search compares all modes by all strategies.)"""
    for strategy in strategies:
        small, large = (place.run(*HUNT, f"--strategy={strategy}", "--c=1", "--", program, mode, size, expect=(0, 1)) for size in (SMALL, LARGE))
        a, b = small.json(), large.json()
        check(a["verdict"] == b["verdict"], f"{mode}, {strategy}: {a['verdict']} and {b['verdict']}", large)
        check(a["stopped"] == b["stopped"], f"{mode}, {strategy}: stopped by {a['stopped']} and {b['stopped']}", large)
        if strategy != "portfolio" and a["verdict"] == "none":
            check(a["classes"] == b["classes"], f"{mode}, {strategy}: {a['classes']} and {b['classes']} classes", large)


def finding(place, program, mode):
    """Operations of main in failure.json are counted from its beginning. What the hunt has found."""
    ran = place.run(*HUNT, "-o", "out", "--", program, mode, LARGE, expect=1)
    found = ran.json()["findings"][0]
    check(found["confirmed"] == found["replays"] > 0, f"{mode}: {found['confirmed']} of {found['replays']} replays", ran)
    path = place.path("out", "failure.json")
    with open(path, encoding="utf-8") as f:
        failure = json.load(f)
    after = [d["after"]["index"] for d in failure["schedule"]["schedules"][0]["deviations"] if d["after"]["thread"] == "0"]
    check(all(i > int(LARGE) for i in after), f"{mode}: main departs after its operations {after}", ran)
    replay = place.run("vtb", "replay", "--run", path, expect=1)
    check("1 confirmed" in replay.out, f"{mode}: the replay does not confirm it", replay)
    return found


def told(core):
    """An order of a cause, without what differs where more was set up."""
    return sorted([(o[k]["thread"], o[k]["kind"], o[k]["variable"], o[k]["line"]) for k in ("before", "after")] for o in core["literals"])


def explained(place, program, mode, large):
    """Why it fails does not depend on how much was set up, and operations are counted from the beginning of the whole run. `large`: what was found there."""
    small = place.run(*HUNT, "-o", "small", "--", program, mode, SMALL, expect=1).json()["findings"][0]
    check(large["cores"], f"{mode}: no cause of {LARGE}")
    for key in ("class", "advice"):
        check(small[key] == large[key], f"{mode}: {key} is {small[key]} and {large[key]}")
    a, b = (sorted((c["class"], told(c), sorted(r["text"] for r in c["repairs"])) for c in f["cores"]) for f in (small, large))
    check(a == b, f"{mode}: causes {a} and {b}")
    ops = [o[k]["op"] for c in large["cores"] for o in c["literals"] for k in ("before", "after") if o[k]["thread"] == "0"]
    check(all(op > int(LARGE) for op in ops), f"{mode}: operations {ops} of main")
    return ops


def engine(place, cache):
    """How much of a stem is told one by one depends on where the stack is, and so differs between engines: no reason to leave the fast one.
    (Without that the build by clang leaves it; that by gcc does so where the stack has other neighbours.)"""
    engines = {}
    for filling in (0, 48, 144):
        place.env["FILLING"] = "x" * filling
        ran = place.run(*HUNT, "--refine=0.1", "--", cache, "200" if filling else "1", expect=1)
        engines[filling] = ran.json()["engine"]
        check(engines[filling] == engines[0], f"{engines[0]} and {engines[filling]}: {ran.json()['engine_reason']}", ran)
    del place.env["FILLING"]


def resumed(place, program):
    whole = place.run(*HUNT, "--budget=400", "--", program, "right", LARGE, expect=(0, 3))
    place.run(*HUNT, "--budget=400", "--state=st", "--", program, "right", LARGE, expect=(0, 3))
    again = place.run("vtb", "resume", "--json", "st", expect=(0, 3))
    for key in ("verdict", "classes", "statement", "stopped"):
        a, b = (re.sub(r" [\d,]+ runs? (was|were) repeated on a slower engine, with the same outcome\.", "", str(ran.json()[key])) for ran in (whole, again))
        check(a == b, f"resumed: {key} was {a} and is {b}", again)
    check(again.json()["state"]["added"] == 0, "resumed: runs were made again", again)


def test(bin_dir, program, cache):
    program, cache = os.path.abspath(need(program)), os.path.abspath(need(cache))
    with Place(bin_dir) as place:
        claims(place, program, "right", ("dpor", "dfs", "portfolio"))
        for mode in ("plain", "held", "nested"):
            claims(place, program, mode, ("dpor",))
        found = {mode: finding(place, program, mode) for mode in ("plain", "freed", "nested", "again")}
        explained(place, program, "plain", found["plain"])
        check(explained(place, program, "again", found["again"]), "again: no cause has to do with main")
        engine(place, cache)
        resumed(place, program)
        place.none_left()


main(test)
