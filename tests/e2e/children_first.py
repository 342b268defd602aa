#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""children_first.py BIN_DIR PROGRAM HOW...: what a child process does has come to its end, or to a wait, before the program goes on: a failure comes again each time.
Where a child sleeps, that is told beside the proof. Where one is killed, what another thread sees of that comes before or after: classes tell."""
import os

from e2e import Place, check, main, need

LUCK = "a child process ran or slept"
LATE = ("sleeps", "polls")


def test(bin_dir, program, *hows):
    need(program)
    with Place(bin_dir) as place:
        for how in hows:
            strategy = "dpor" if how == "kills" else "dfs"
            ran = place.run("vtb", "hunt", "--no-canary", "--c=1", "--time=20", "--refine=1", f"--strategy={strategy}", "--budget=40", "--", os.path.abspath(program), how, expect=1)
            told = " ".join(ran.out.split())
            check("3 of 3 replays fail the same way" in told, f"{how}: it does not fail again", ran)
            check((LUCK in told) == (how in LATE), f"{how}: luck is {'not ' if how in LATE else ''}told", ran)
            for _ in range(2):
                ran = place.run("vtb", "replay", "--run", "failure.json", expect=1)
                check((LUCK in ran.out) == (how in LATE), f"{how}: luck is {'not ' if how in LATE else ''}told in a replay", ran)
        place.none_left()


main(test)
