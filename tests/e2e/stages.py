#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stages.py BIN_DIR SOURCE_DIR PROGRAM: the pipeline through its single commands: record, decode, hb, synth, replay, viz."""
import json
import os
import shutil
import sys
import xml.dom.minidom

from e2e import SKIPPED, Place, check, main, need

def against_schema(place, source, *names):
    ran = place.run(sys.executable, os.path.join(source, "tests/schema/validate.py"), os.path.join(source, "data/schema"), *names)
    check(ran.code in (0, SKIPPED), "a file does not fit its schema", ran)


def read_json(place, name):
    with open(place.path(name)) as f:
        return json.load(f)


def test(bin_dir, source, program):
    need(program)
    with Place(bin_dir) as place:
        place.run("vtb-record", "-o", "run.vtb", "--", program, expect=(0, 134))  # it may fail by itself
        place.run("vtb-decode", "run.vtb", "-o", "trace.json", expect=0)
        trace = read_json(place, "trace.json")
        against_schema(place, source, "trace.json")
        names = json.dumps(trace)
        check("account.balance" in names, "the trace does not name the field account.balance")
        check("prog.c" in names, "the trace has no source file")

        profile = place.run("vtb-hb", "trace.json", "--profile", expect=0)
        check("account.balance" in profile.out, "the profile does not name account.balance", profile)
        races = place.run("vtb-hb", "trace.json", "--races", expect=0)
        check("account.balance" in races.out, "the unordered conflicting pairs do not name account.balance", races)
        check(place.run("vtb-hb", "trace.json", "--json", expect=0).json() is not None, "no JSON")

        table = place.run("vtb-synth", "trace.json", "--v=2", "-o", "schedules.json", expect=0)
        check("account.balance" in table.out, "the ranked candidates do not name account.balance", table)
        against_schema(place, source, "schedules.json")

        replayed = place.run("vtb-replay", "--run", "-o", "failure.json", "schedules.json", expect=1)
        check("assertion" in replayed.out, "the replay does not say what failed", replayed)
        failure = read_json(place, "failure.json")
        against_schema(place, source, "failure.json")
        check("account.balance" in json.dumps(failure), "failure.json does not name account.balance")

        again = place.run("vtb-replay", "--run", "failure.json", expect=1)
        check("assertion" in again.out, "the replay of failure.json does not say what failed", again)

        dot = place.run("vtb-viz", "failure.json", "--dot", expect=0)
        check(dot.out.lstrip().startswith("digraph") and "account.balance" in dot.out, "no graph of the failure", dot)
        for name in ("trace.json", "failure.json"):
            if not shutil.which("dot"):
                break
            svg = place.run("vtb-viz", name, "--svg", expect=0)
            xml.dom.minidom.parseString(svg.out)
            check("account.balance" in svg.out, f"the picture of {name} does not name account.balance", svg)
        place.none_left()


main(test)
