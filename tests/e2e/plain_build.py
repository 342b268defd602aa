#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plain_build.py BIN_DIR PROGRAM PLAIN: a failure found on the build with hooks shows on the plain build of the same source, by
breakpoints at the places of its schedule."""
from e2e import Place, check, main, need


def test(bin_dir, program, plain):
    need(program)
    with Place(bin_dir) as place:
        place.run("vtb", "hunt", "--seed=1", "--", program, expect=1)
        ran = place.run("vtb-replay", "--tier=break", "failure.json", "--", plain, timeout=60)
        check(ran.code == 1, "the failure does not show on the plain build", ran)
        place.none_left()


main(test)
