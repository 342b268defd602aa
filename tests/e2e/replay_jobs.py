#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""replay_jobs.py BIN_DIR PROGRAM: vtb-replay on many candidates prints and writes the same with any number of target processes."""
import json

from e2e import Place, check, main, need

RECORDINGS_MAX = 40  # which candidates there are depends on how a free run went
ENOUGH = 10


def candidates(place, program):
    for _ in range(RECORDINGS_MAX):
        place.run("vtb-record", "-o", "run.vtb", "--", program, expect=(0, 134))
        place.run("vtb-decode", "run.vtb", "-o", "trace.json", expect=0)
        synth = place.run("vtb-synth", "trace.json", "--top=60", "-o", "schedules.json", expect=0)
        with open(place.path("schedules.json")) as f:
            enough = len(json.load(f)["schedules"]) > ENOUGH
        if enough:
            report = place.run("vtb-replay", "--run", "--json", "-q", "schedules.json", expect=(0, 1), timeout=150).json()
            if report["confirmed"] and report["passed"]:
                return
    check(False, "never enough to compare", synth)


def replay(place, engine, *jobs):
    ran = place.run("vtb-replay", "--run", "--json", "--engine=" + engine, *jobs, "-o", "failure.json", "schedules.json", expect=(0, 1), timeout=150)
    with open(place.path("failure.json")) as f:
        return ran, ran.json(), f.read()


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        candidates(place, program)
        for engine in ("snapshot", "forkserver"):
            one, report, failure = replay(place, engine, "--jobs=1")
            check(report["confirmed"] and report["passed"] and len(report["schedules"]) > ENOUGH, f"{engine}: not enough to compare", one)
            for jobs in (("--jobs=2",), ("--jobs=3",), ()):
                ran, other, written = replay(place, engine, *jobs)
                check(other == report, f"{engine}: {jobs} says something else than --jobs=1:\n{one.out}", ran)
                check(written == failure, f"{engine}: {jobs} writes another failure.json", ran)


main(test)
