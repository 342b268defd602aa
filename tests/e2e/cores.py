#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cores.py BIN_DIR SOURCES COMPILER [all]: every third program of SOURCES/expect.txt, or all, is found, and its cores have the type and the sizes listed there, and a repair of the
kind listed. Each core is held
against runs under constraints that this test makes: with all its orders no run passes, and with any of them left out some run does."""
import glob
import json
import os

from e2e import SKIPPED, check, main, Place

TYPES = {
    "AV": {"atomicity-violation", "multi-variable-atomicity-violation"},
    "OV": {"order-violation", "use-before-initialisation"},
}
TYPES["race"] = TYPES["AV"] | TYPES["OV"]
SEEDS = 60


def expected(path):
    with open(path, encoding="utf-8") as f:
        rows = [line.split() for line in f if not line.startswith("#")]
    return [(row[0], row[1], row[2], [int(n) for n in row[3:]]) for row in rows]


def constraints(literals):
    """Those whose operations both took place in the failing run: an index names them."""
    known = [(lit["before"], lit["after"]) for lit in literals if lit["before"]["op"] and lit["after"]["op"]]
    return [{"before": {"thread": b["thread"], "index": b["op"]}, "after": {"thread": a["thread"], "index": a["op"]}} for b, a in known]


def results(place, program, kept):
    """What the program does under these constraints and otherwise at random."""
    schedules = [{"policy": "random", "seed": seed, "deviations": [], "constraints": constraints(kept)} for seed in range(SEEDS)]
    threads = [{"path": path} for path in ("0", "0.0", "0.1", "0.2")]
    with open(place.path("tried.json"), "w", encoding="utf-8") as f:
        json.dump({"format": "vtb-schedules", "version": 1, "program": {"argv": [program]}, "threads": threads, "schedules": schedules}, f)
    ran = place.run("vtb", "replay", "--json", "--run", "--times=1", "tried.json")
    return [s["result"] for s in ran.json()["schedules"]], ran


def check_core(place, program, core):
    literals = core["literals"]
    for i, left_out in enumerate(literals):
        others = literals[:i] + literals[i + 1:]
        got, ran = results(place, program, others)
        if "passed" not in got and constraints([left_out]):  # chance does not come there: ask for it
            got, ran = results(place, program, others + [{"before": left_out["after"], "after": left_out["before"]}])
        check("passed" in got, f"{program}: without {left_out} no run passes", ran)
    if len(constraints(literals)) == len(literals) and all(lit["merged"] == 1 for lit in literals):
        got, ran = results(place, program, literals)
        check("passed" not in got and "confirmed" in got, f"{program}: with the whole core: {got}", ran)


def check_program(place, name, kind, repair, sizes):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--", "./" + name, expect=1)
    finding = ran.json()["findings"][0]
    cores = finding["cores"]
    check(finding["explained"]["exhausted"] and finding["explained"]["all"], f"{name}: not all classes of runs: {finding['explained']}", ran)
    got = [sum(lit["merged"] for lit in core["literals"]) for core in cores]
    check(sorted(got) == sorted(sizes), f"{name}: cores of {got} orders, expected {sizes}", ran)
    repairs = [r for core in cores for r in core["repairs"]]
    check([r["kind"] for r in repairs] == [repair] and repairs[0]["schedules"] > 0, f"{name}: repairs {repairs}, expected {repair}", ran)
    for core in cores:
        check(core["class"] in TYPES[kind], f"{name}: {core['class']} is no {kind}", ran)
        check(kind != "race" or core["lock"] in ("none", "one-side", "different"), f"{name}: lock {core['lock']}", ran)
        check(core["exhausted"] and core["smallest"], f"{name}: {core}", ran)
        check_core(place, "./" + name, core)


def test(bin_dir, sources, compiler, which="some"):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        programs = expected(os.path.join(sources, "expect.txt"))
        check(len(programs) == 34, f"{len(programs)} programs")
        for name, kind, repair, sizes in programs if which == "all" else programs[2::3]:
            place.run(compiler, "-g", "-O0", "-fsanitize=thread", "-pthread", "-o", name, glob.glob(os.path.join(sources, "*", name + ".c"))[0], expect=0)
            check_program(place, name, kind, repair, sizes)
        place.none_left()
    return None


main(test)
