#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""computes.py BIN_DIR PROGRAM SECONDS: among 1.5 million accesses to private data the race on one variable is found in so many seconds."""
from e2e import PATIENCE, Place, check, main, need

ACCESSES = 1_400_000


def test(bin_dir, program, seconds):
    need(program)
    limit = int(seconds) * PATIENCE
    with Place(bin_dir) as place:
        ran = place.run("vtb", "hunt", "--seed=1", f"--time={limit}", "--json", "--", program, timeout=2 * limit, expect=1)
        got = ran.json()
        check(got["findings"][0]["verdict"] == "assertion", "it is the assertion", ran)
        check(got["findings"][0]["confirmed"] >= 1, "it is replayed", ran)
        check(got["accesses"] >= ACCESSES, f"only {got['accesses']} accesses", ran)
        place.none_left()


main(test)
