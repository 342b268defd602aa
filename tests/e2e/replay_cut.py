#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""replay_cut.py BIN_DIR SCHEDULES SOURCE COMPILER: an order whose last operation came only because the recorded run was slow to fail is
confirmed by a run that fails before that operation."""
import shutil

from e2e import SKIPPED, Place, check, main


def test(bin_dir, schedules, source, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        place.run(compiler, "-O1", "-g", "-pthread", "-o", "prog", source, expect=0)
        shutil.copy(schedules, place.path("schedules.json"))
        replayed = place.run("vtb-replay", "-o", "failure.json", "schedules.json", "--", "./prog", timeout=100, expect=1)
        check(replayed.out.lstrip().startswith("1  confirmed"), "the recorded order does not fail again", replayed)


main(test)
