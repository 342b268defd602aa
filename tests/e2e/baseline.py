#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""baseline.py BIN_DIR PROGRAM: PROGRAM fails in two ways, by status 1 and 2. A hunt goes past what its baseline knows and finds the other; with both known it leaves
with 0 and says so; entries that are over count no more; each entry is told; bad files are refused with their place."""
import json

from e2e import Place, check, main, need


def hunt(place, program, known, expect, *more):
    entries = [{"signature": signature, "until": until, "reason": "a test"} for signature, until in known]
    with open(place.path("known.json"), "w") as f:
        json.dump({"format": "vtb-baseline", "version": 1, "known": entries}, f)
    return place.run("vtb", "hunt", "--c=1", "--time=300", "-o", place.path("out"), f"--baseline={place.path('known.json')}", *more, "--", program, timeout=120, expect=expect)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for known, other in (("exit:1", "exit:2"), ("exit:2", "exit:1")):
            ran = hunt(place, program, [(known, "2999-12-31")], 1, "--json")
            check(ran.json()["signature"] == other, f"{known} is known, and {other} was not found", ran)
        ran = hunt(place, program, [("exit:1", "2999-12-31"), ("exit:2", "2999-12-31"), ("exit:3", "2999-12-31")], 0)
        check("in a way that the baseline knows" in " ".join(ran.out.split()), "the statement does not tell of known failures", ran)
        told = [line.split()[:2] for line in ran.out.splitlines()[-3:]]
        check(told == [["known", "exit:1:"], ["known", "exit:2:"], ["not", "met"]], f"told of entries: {told}", ran)
        ran = hunt(place, program, [("exit:1", "2020-01-01"), ("exit:2", "2020-01-01")], 1)
        check(ran.out.count("expired") == 2, "entries that are over are not told", ran)
        ran = hunt(place, program, [("exit:1", "2026-02-31x")], 2)
        check("known[0].until" in ran.err, "a bad day is not named", ran)
        place.none_left()


main(test)
