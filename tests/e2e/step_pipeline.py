#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""step_pipeline.py BIN_DIR SOURCE COMPILER OPT: a failing run of a production build, recorded by single-stepping as Intel PT packets, is
decoded; its order is the first schedule proposed, and within five schedules the same failure shows on that build."""
import json
import os

from e2e import SKIPPED, Place, check, main


def record_failure(place):
    ran = place.run("vtb-record", "--backend=step", "--repeat=60", "--until-fail", "-o", "run.vtb", "--", "./prog", timeout=100)
    check(ran.code != 125, "the program could not be recorded", ran)
    with open(place.path("run.vtb", "meta.json")) as f:
        signal = json.load(f)["signal"]
    check(ran.code != 0 or signal, "no run of 60 failed", ran)


def test(bin_dir, source, compiler, opt):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        place.run(compiler, opt, "-g", "-pthread", "-o", "prog", source, expect=0)
        record_failure(place)
        decoded = place.run("vtb-decode", "run.vtb", "-o", "trace.json", "--json", expect=0).json()
        check(decoded["pt"]["errors"] == 0 and decoded["lost"] == 0, f"something is lost: {decoded}")
        with open(place.path("trace.json")) as f:
            trace = json.load(f)
        check(trace["order"] == "total" and trace["program"]["backend"] == "step", f"not the order of a stepped run: {trace['order']}")
        found = place.run("vtb-synth", "trace.json", "--top=5", "--json", "-o", "schedules.json", expect=0).json()
        check(found["candidates"][0]["observed"], f"the recorded order is not the first candidate: {found['candidates'][0]}")
        replayed = place.run("vtb-replay", "--run", "-o", "failure.json", "schedules.json", timeout=100, expect=1)
        check(replayed.out.lstrip().startswith("1  confirmed"), "the recorded order does not fail again", replayed)
        check("tier break" in replayed.out, "not replayed by breakpoints on the production build", replayed)
        with open(place.path("failure.json")) as f:
            verdict = json.load(f)["verdict"]
        check(verdict == trace["outcome"]["verdict"], f"{verdict} where {trace['outcome']['verdict']} was recorded", replayed)
        place.none_left()


main(test)
