#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""complete.py BIN_DIR PROGRAM: a program that some schedule makes fail. A search without a find must not say that it has seen
every class of interleavings: it would lack a dependence between two operations."""
from e2e import Place, check, main, need


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for strategy in ("dpor", "portfolio"):
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", "--time=8", "--strategy=" + strategy, "--", program, timeout=60)
            got = ran.json()
            check(got["verdict"] != "none" or not got["complete"], f"{strategy}: complete, and nothing found", ran)


main(test)
