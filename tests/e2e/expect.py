#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""expect.json: read and check. As a command: expect.py DIR... checks every DIR/*/expect.json."""
import glob
import json
import os
import re
import sys

from e2e import Failed

MEMBERS = {"format", "version", "verdict", "correct", "signature_contains", "tuple", "how", "natural", "distinct_schedules", "variants", "hunt_options",
           "points_most",  # of the first run: a loop that looks in vain waits instead
           "threads", "variables", "schedules", "lines"}  # data/table1, data/fair
VERDICTS_DEF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../common/include/vtb/verdicts.def")
FINE = {"none", "sequential"}


def verdicts():
    with open(VERDICTS_DEF) as f:
        return set(re.findall(r'VTB_VERDICT\(\w+,\s*\d+,\s*"([\w-]+)"', f.read()))


def number_or_list(value):
    return all(isinstance(one, int) and one >= 0 for one in (value if isinstance(value, list) else [value]))


def problems(want):
    known = verdicts()
    verdict = want.get("verdict")
    given = verdict if isinstance(verdict, list) else [verdict]
    if want.get("format") != "vtb-expect" or want.get("version") != 1:
        yield "format is not vtb-expect, version 1"
    for name in want.keys() - MEMBERS:
        yield f"unknown member {name}"
    for one in given:
        if one not in known:
            yield f"unknown verdict {one}"
    if want.get("correct") is not all(one in FINE for one in given):
        yield "`correct` and the verdict contradict each other"
    if not want.get("how", "").rstrip(")").endswith("."):
        yield "`how` is no sentence"
    if not isinstance(want.get("signature_contains"), list):
        yield "signature_contains is no list"
    if not number_or_list(want.get("points_most", 0)):
        yield "points_most is no number"
    tuple_ = want.get("tuple", 0)
    if tuple_ == 0 or (tuple_ is not None and (set(tuple_) != set("cvt") or not all(map(number_or_list, tuple_.values())))):
        yield "tuple is neither null nor {c, v, t}"
    if tuple_ is None and not (set(given) <= FINE or "regardless" in given):
        yield "a bug without a tuple"


def load(path, variant=None):
    """The expectation for one variant of the program."""
    with open(path) as f:
        want = json.load(f)
    want.update(want.get("variants", {}).get(variant, {}))
    for problem in problems(want):
        raise Failed(f"{path}: {problem}")
    return want


def main(dirs):
    wrong = 0
    for place in dirs:
        paths = glob.glob(os.path.join(place, "**", "*expect.json"), recursive=True)
        if not paths:
            print(f"{place}: no expect.json")
            wrong += 1
        for path in sorted(paths):
            try:
                load(path)
                for variant in json.load(open(path)).get("variants", {}):
                    load(path, variant)
            except (Failed, ValueError) as e:
                print(e)
                wrong += 1
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
