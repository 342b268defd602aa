#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_level.py BIN_DIR SOURCE COMPILER: a program with more orders than can be run is FIXED as soon as everything at the failure's own level was run; the
one that was not repaired still fails."""
from e2e import SKIPPED, check, main, Place


def test(bin_dir, source, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        build = (compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", source, "-o")
        place.run(*build, "broken", expect=0)
        place.run(*build, "fixed", "-DFIXED", expect=0)
        found = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=2", "--", "./broken", expect=1).json()
        check(found["tuple"]["c"] == 1 and found["tuple"]["t"] == 2, f"another tuple: {found['tuple']}")
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--verify-fix=failure.json", "--", "./fixed", expect=0)
        got = ran.json()
        check(got["fix"]["answer"] == "fixed" and not got["complete"], "not fixed, or complete", ran)
        check(got["fix"]["level"] == found["tuple"] and got["stopped"] == "level", f"level {got['fix']['level']}, stopped {got['stopped']}", ran)
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--budget=50", "--verify-fix=failure.json", "--", "./fixed", expect=3)
        check(ran.json()["fix"]["answer"] == "cannot-tell" and ran.json()["fix"]["level"] is None, "told without its level", ran)
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=1", "--verify-fix=failure.json", "--", "./broken", expect=1)
        check(ran.json()["fix"]["answer"] == "still-fails", "not failing any more", ran)
        place.none_left()
    return None


main(test)
