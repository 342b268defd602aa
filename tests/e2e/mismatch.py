#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mismatch.py BIN_DIR PROGRAM: runs that come out otherwise on the next slower engine stop the fast one: the hunt goes on there, says so, and
reports nothing that only the fast one has shown. PROGRAM prints or does something else on each engine."""
from e2e import SKIPPED, Place, check, main, need


def hunt(place, program, *args):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--budget=300", "--jobs=1", "--", program, *args, expect=(0, 1), timeout=100)
    return ran, ran.json()


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        choice = place.run("vtb", "doctor", "--json", program, expect=(0,)).json()["choice"]
        if choice["engine"] != "snapshot":
            raise SystemExit(SKIPPED)
        for args, what in (((), "the output"), (("assert",), "the verdict")):
            ran, found = hunt(place, program, *args)
            check(found["engine"] == "forkserver", f"the engine is {found['engine']}", ran)
            reason = found["engine_reason"] or ""
            check(reason.startswith(f"{what} of a run differed between the engines snapshot"), f"{what} differs, the reason is: {reason}", ran)
            check(reason in found["statement"], "the statement does not say so", ran)
            check(found["verdict"] == "none" and not found["findings"], f"reported what only the fast engine has shown: {found['verdict']}", ran)


main(test)
