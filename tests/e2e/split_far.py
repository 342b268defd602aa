#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""split_far.py BIN_DIR SOURCE COMPILER: a bug that one switch shows, behind eighty regions of four threads, is found by orders of atomic blocks
within as many schedules as there are such switches, with --rw and without."""
from e2e import SKIPPED, Place, check, main

SWITCHES = 24 + 4 * 22 * 3  # orders of whole threads; from 4 threads, at 20 regions, beginning or end, to 3 others


def test(bin_dir, source, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", "-o", "prog", source, expect=0)
        for how in [], ["--rw"]:
            ran = place.run("vtb", "hunt", "--strategy=exitblock", *how, f"--budget={SWITCHES}", "--refine=1", "--json", "--", "./prog", timeout=60, expect=1)
            check(ran.json()["findings"][0]["verdict"] == "assertion", "not the assertion", ran)
        place.none_left()


main(test)
