#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""thread_names.py BIN_DIR PROGRAM: reports call threads what the program calls them, else what they run; giving a
name costs no engine, and who asks for a name before it is given is seen."""
import json

from e2e import Place, check, main, need

HUNT = ("vtb", "hunt", "--seed=1", "--no-canary", "--time=300")
NAMES = ("first reader", 'second "reader"')
RUNS = "std::thread running Reader::read, prog.cc:46"


def names_in(place, file):
    with open(place.path(file), encoding="utf-8") as f:
        threads = json.load(f)["trace"]["threads"]
    return [t["name"] for t in threads if t.get("name")]


def named(place, program, how):
    ran = place.run(*HUNT, "--", program, how, expect=1)
    check("snapshot engine" in " ".join(ran.out.split()), f"{how}: another engine than snapshot", ran)
    for path, name in zip(("0.0", "0.1"), NAMES):
        check(f"{path} {name} " in ran.out, f"{how}: the table does not call {path} {name}", ran)
        check(f'{path}: "{name}", {RUNS}' in " ".join(ran.out.split()), f"{how}: {path} is not described", ran)
    got = names_in(place, "failure.json")
    check(got == list(NAMES), f"{how}: failure.json names {got}", ran)
    for engine in ("exec", "forkserver"):
        place.run("vtb", "replay", "--run", f"--engine={engine}", "failure.json", expect=1)
    place.run("vtb", "replay", "--run", "--carrier=threads", "failure.json", expect=1)


def unnamed(place, program):
    ran = place.run(*HUNT, "--", program, "none", expect=1)
    check(names_in(place, "failure.json") == [], "none: a name nobody gave", ran)
    check(f"0.0: {RUNS}" in ran.out and "0.0 Reader::read " in ran.out, "none: not what they run", ran)


def recorded(place, program, how):
    place.run("vtb", "record", "-o", how, "--", program, how, "correct", expect=0)
    place.run("vtb", "decode", how, "-o", how + ".json", expect=0)
    with open(place.path(how + ".json"), encoding="utf-8") as f:
        got = [t["name"] for t in json.load(f)["threads"] if t.get("name")]
    check(got == list(NAMES), f"{how}: a recording names {got}")


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for how in ("self", "other", "prctl", "call"):
            named(place, program, how)
        unnamed(place, program)
        ran = place.run(*HUNT, "--", program, "late", expect=1)
        check("name of thread 0.0" in ran.out, "the name that comes late is not in the report", ran)
        for how in ("self", "prctl"):
            recorded(place, program, how)
        ran = place.run(*HUNT, "--json", "--", program, "self", "correct", expect=0)
        check(not ran.json()["findings"] and "Complete" in ran.json()["statement"], "a correct program with names", ran)
        place.none_left()


main(test)
