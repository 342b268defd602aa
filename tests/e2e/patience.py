#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""patience.py BIN_DIR PROGRAM: a time limit on the answer of another process is not over at once because nobody of the program can go on;
the clock of the program waits for the other process, as long as the limit would last."""
from e2e import Place, check, main, need


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for how in ("poll", "select", "pair", "end"):
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", "--strategy=cvt", "--c=0", "--budget=5", "--time=300", "--", program, how, timeout=150)
            got = ran.json()
            check(got["verdict"] == "none", f"{how}: verdict {got['verdict']}", ran)
            check(got["threads"] == 2, f"{how}: {got['threads']} threads", ran)
        place.none_left()


main(test)
