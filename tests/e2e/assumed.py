#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""assumed.py BIN_DIR PROGRAM: PROGRAM reads what it knows until it is assumed to spin; at which reading depends on addresses, which differ between
engines. Or it looks at addresses of threads and of what is mapped, which are the same in all. That is no reason to leave the fast engine."""
from e2e import SKIPPED, Place, check, main, need


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        choice = place.run("vtb", "doctor", "--json", program, expect=(0,)).json()["choice"]
        if choice["engine"] != "snapshot":
            raise SystemExit(SKIPPED)
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--strategy=random", "--budget=40", "--jobs=1", "--", program, expect=(0,), timeout=150)
        found = ran.json()
        check(found["engine"] == "snapshot", f"the engine is {found['engine']}: {found['engine_reason']}", ran)


main(test)
