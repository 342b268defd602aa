#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flags.py BIN_DIR PROGRAM_DIR: a loop on a flag ends under every strategy of the table, by bound, budget or time, and no run is called a failure."""
import os

from e2e import Place, check, main, need

KINDS = ("volatile", "atomic", "unoptimised")
BUDGET = 40


def strategies(place):
    listed = place.run("vtb", "synth", "--list-strategies", expect=0).out
    names = [line.split()[0] for line in listed.splitlines() if line.strip() and not line.startswith(" ")] or [line.split()[0] for line in listed.splitlines() if line.strip()]
    check("dfs" in names and "random" in names, f"strategies: {listed}")
    return names


def test(bin_dir, programs):
    with Place(bin_dir) as place:
        for name in strategies(place):
            for kind in KINDS:
                program = need(os.path.join(programs, "flag_" + kind, "tsan-gcc"))
                ran = place.run("vtb", "hunt", "--json", "--no-canary", f"--strategy={name}", f"--budget={BUDGET}", "--time=300", "--", program, timeout=60)
                got = ran.json()
                check(got["verdict"] == "none" and got["diverged"] == 0, f"{name}, {kind}: verdict {got['verdict']}", ran)
        place.none_left()


main(test)
