#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prints.py BIN_DIR PROGRAM: output that depends on the order of prints is found with its true tuple, on every engine, whether
through stdio or by write(2); who prints very much is told that not all of it was controlled."""
import json
import re

from e2e import Place, check, main, need

CAP = 64  # prints of a thread that are operations
LINES = {"stdio": "ab0.5cd\n", "unlocked": "abcd\n", "write": "abcd\n"}


def hunt(place, *options):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", "--time=300", "--refine=200", *options, timeout=400)
    return ran, ran.json()


def check_order(place, program, how, engine):
    with open(place.path("want"), "w", encoding="utf-8") as f:
        f.write(2 * LINES[how] + "end\n")
    ran, got = hunt(place, f"--engine={engine}", "--expect-output=want", "--", program, how, "1")
    check(got["verdict"] == "output" and got["tuple"] == {"c": 1, "v": 1, "t": 2}, f"{how}, engine {engine}: {got['verdict']} {got['tuple']}", ran)
    first = got["findings"][0]["order"][0]
    check(first["operation"] == "io-write" and first["variable"] == "stdout" and first["function"] == "piece", f"{how}: not charged to the stream: {first}", ran)
    diff = got["findings"][0]["output"]["diff"]
    check(diff.startswith("@@ -1,") and "\n-" in diff and "\n+" in diff, f"no diff of what was expected and printed: {diff!r}", ran)
    check("order of prints" not in got["statement"], "the cap is said to be hit", ran)


def check_variants(place, program):
    """Passing runs that print differently are counted: six orders of two pieces by each of two threads, two texts."""
    ran, got = hunt(place, "--strategy=dpor", "--", program, "write", "1")
    outputs = got["outputs"]
    check(got["verdict"] == "none" and (outputs["runs"], outputs["variants"], outputs["more"]) == (6, 2, False), f"not all outputs are told apart: {outputs}", ran)
    check(outputs["text"] == f"output differs between schedules: 2 variants in 6 runs; --expect-output makes that a failure", "the sentence", ran)
    shown = place.run("vtb", "hunt", "--no-canary", "--seed=1", "--strategy=dpor", "--", program, "write", "1", expect=0)
    check(outputs["text"] in re.sub(r"\s+", " ", shown.out), "the text does not say so", shown)
    ran, got = hunt(place, "--", program, "write", "0")
    check(got["outputs"]["variants"] <= 1 and got["outputs"]["text"] is None, f"one output is said to differ: {got['outputs']}", ran)


def check_cap(place, program):
    ran, got = hunt(place, "--budget=20", "--fail-if=never", "--", program, "stdio", "100")
    check(f"the order of prints of a thread after its first {CAP}" in got["statement"], "the cap is not said", ran)
    operations = int(re.search(r"([\d,]+) synchronisation operations", got["statement"]).group(1).replace(",", ""))
    check(2 * CAP <= operations < 3 * CAP, f"{operations} operations of 400 prints by two threads", ran)


def check_recorded(place, program):
    """Two threads with two prints each, while main is there to wait for them."""
    place.run("vtb", "record", "-o", "run.vtb", "--", program, "stdio", "1", expect=0)
    place.run("vtb", "decode", "run.vtb", "-o", "trace.json", expect=0)
    with open(place.path("trace.json"), encoding="utf-8") as f:
        trace = json.load(f)
    events = trace["events"]
    n = sum(1 for e in events if (e["kind"] if isinstance(e, dict) else "") == "io-write")
    check(n == 4, f"{n} prints recorded, expected four")


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for engine in ("auto", "forkserver", "exec"):
            check_order(place, program, "stdio", engine)
        check_order(place, program, "write", "auto")
        check_order(place, program, "unlocked", "auto")
        check_recorded(place, program)
        check_variants(place, program)
        check_cap(place, program)
        place.none_left()


main(test)
