#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""told.py BIN_DIR PROGRAM...: vtb viz failure.json prints what the hunt that wrote the file has printed, byte for byte, with and without -v."""
import os

from e2e import Place, check, main


def check_program(bin_dir, program):
    for more in ([], ["-v"]):
        with Place(bin_dir) as place:
            hunted = place.run("vtb", "hunt", *more, "--seed=1", "--time=300", "--refine=1", "--", program, expect=1)
            shown = place.run("vtb", "viz", *more, "failure.json", expect=0)
            check(shown.out == hunted.out, f"vtb viz prints something else than the hunt:\n{hunted.story()}", shown)
            place.run("vtb", "viz", "--text", *more, "-o", "block.txt", "failure.json", expect=0)
            with open(place.path("block.txt"), encoding="utf-8") as f:
                check(f.read() == shown.out, "--text -o writes something else", shown)


def test(bin_dir, *programs):
    for program in programs:
        check_program(bin_dir, os.path.abspath(program))


main(test)
