#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verdict.py BIN_DIR PROGRAM WANT_JSON: hunt one program; compare verdict, signature, tuple, suspects, warnings and words with want.json."""
import json
import re

from e2e import Failed, Place, check, main, need

MEMBERS = {"verdict", "options", "predicted", "tuple", "suspects", "warnings", "signature", "text", "not_text", "timing", "code", "program"}
FINE = {"none", "sequential"}


def load(path):
    with open(path) as f:
        want = json.load(f)
    for name in want.keys() - MEMBERS:
        raise Failed(f"{path}: unknown member {name}")
    return want


def compare(want, got, ran):
    check(got["verdict"] == want["verdict"], f"verdict {got['verdict']}, expected {want['verdict']}", ran)
    check(ran.code == want.get("code", 0 if want["verdict"] in FINE else 1), f"exit code {ran.code}", ran)
    if "signature" in want:
        check(got["signature"] == want["signature"], f"signature {got['signature']}, expected {want['signature']}", ran)
    if "tuple" in want:
        check(got["tuple"] == want["tuple"], f"tuple {got['tuple']}, expected {want['tuple']}", ran)
    if "predicted" in want:
        check(got["findings"][0]["predicted"] == want["predicted"], "predicted, or not, against expectation", ran)
    if "timing" in want:
        check(got["findings"][0]["timing"] == want["timing"], "a timing assumption, or none, against expectation", ran)
    if "suspects" in want:
        keys = [suspect["key"] for suspect in got["suspects"]]
        check(keys == want["suspects"], f"suspects {keys}, expected {want['suspects']}", ran)
    if "warnings" in want:
        keys = [warning["key"] for warning in got["warnings"]]
        check(keys == want["warnings"], f"warnings {keys}, expected {want['warnings']}", ran)


def test(bin_dir, program, want_path):
    need(program)
    want = load(want_path)
    hunt = ("vtb", "hunt", "--no-canary", "--seed=1", "--time=300", *want.get("options", []))
    with Place(bin_dir) as place:
        ran = place.run(*hunt, "--json", "--", program, timeout=400)
        compare(want, ran.json(), ran)
        if not want.get("text") and not want.get("not_text"):
            place.none_left()
            return
        ran = place.run(*hunt, "-v", "--", program, timeout=400)
        said = re.sub(r"\s+", " ", ran.out)
        for part in want.get("text", []):
            either = part if isinstance(part, list) else [part]  # a repair if there was time to try it, else advice
            check(any(words in said for words in either), f"the report does not say: {part}", ran)
        for part in want.get("not_text", []):
            check(part not in said, f"the report says: {part}", ran)
        place.none_left()


main(test)
