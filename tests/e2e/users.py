#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""users.py BIN_DIR SECONDS PROGRAM...: correct programs of users' kind. A hunt of so many seconds reports nothing and ends in time."""
from e2e import PATIENCE, Place, check, main, need

FINE = {"none", "sequential"}
MORE = 20  # seconds besides its search that a hunt may take: it starts, looks at the program, runs it alone


def no_alarm(bin_dir, seconds, program):
    with Place(bin_dir) as place:
        ran = place.run("vtb", "hunt", "--seed=1", f"--time={seconds}", "--json", "--", program, timeout=seconds + 60)
        got = ran.json()
        check(ran.code in (0, 3) and not got["findings"], f"{program}: exit {ran.code}, verdict {got['verdict']}", ran)
        check(got["verdict"] in FINE, f"{program}: verdict {got['verdict']}", ran)
        check(ran.seconds < (seconds + MORE) * PATIENCE, f"{program}: took {ran.seconds:.0f} s", ran)
        place.none_left()


def test(bin_dir, seconds, program):
    need(program)
    no_alarm(bin_dir, int(seconds), program)


main(test)
