#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""step_lends.py BIN_DIR SOURCE COMPILER OPT: in a stepped run, a variable on another thread's stack has its name and its owner's accesses,
and a store over several elements names each."""
import json

from e2e import SKIPPED, Place, check, main


def accesses(trace, name):
    """Kind and thread of what is done to the variable, in order."""
    ids = {i for i, v in enumerate(trace["variables"]) if v["name"] == name}
    return [(e["kind"], e["thread"]) for e in trace["events"] if e.get("var") in ids and e["kind"] in ("read", "write")]


def check_lent(trace, name, owner, others):
    got = accesses(trace, name)
    check(got, f"nothing is said of {name}: {sorted(v['name'] for v in trace['variables'])}")
    check(("write", owner) in got[:1], f"{name}: its owner's first write is missing: {got}")
    for other in others:
        check({("read", other), ("write", other)} <= set(got), f"{name}: {other} is missing: {got}")
    check({thread for _, thread in got} == {owner, *others}, f"{name}: {got}")


def test(bin_dir, source, compiler, opt):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        place.run(compiler, opt, "-g", "-std=c++17", "-pthread", "-o", "prog", source, expect=0)
        place.run("vtb-record", "--backend=step", "-o", "run.vtb", "--", "./prog", timeout=60, expect=0)
        place.run("vtb-decode", "run.vtb", "-o", "trace.json", expect=0)
        with open(place.path("trace.json")) as f:
            trace = json.load(f)
        check_lent(trace, "hits in main()", "0", ["0.1", "0.2"])
        check_lent(trace, "inner in lend() (thread 0.3)", "0.3", ["0.3.0"])
        names = {v["name"] for v in trace["variables"]}
        check(not any(name.startswith("untouched") for name in names), "what only main touches is told")
        check(not any(name.startswith("memory at") for name in names), f"memory without a name: {names}")
        for member in "xyzw":
            got = accesses(trace, f"shared.{member}")
            check(("write", "0.0") in got, f"shared.{member} is not written by 0.0: {got}")
        for i in range(4):
            check(("write", "0.0") in accesses(trace, f"longs[{i}]"), f"longs[{i}] is not written by 0.0")
        place.none_left()


main(test)
