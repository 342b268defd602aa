#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""static_tsan.py BIN_DIR SOURCE_DIR CLANG: a sanitizer runtime that is linked statically cannot be replaced: the tools say so, and
what to do about it."""
import os
import shutil

from e2e import SKIPPED, Place, check, main


def test(bin_dir, source, compiler=""):
    if not shutil.which(compiler):
        print("skipped: no clang")
        return SKIPPED
    program = os.path.join(source, "data/corpus/account/prog.c")
    with Place(bin_dir) as place:
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-o", "static", program, "-pthread", expect=0)
        for argv in (["vtb", "hunt", "--", "./static"], ["vtb", "doctor", "./static"]):
            ran = place.run(*argv, timeout=60)
            check(ran.code in (2, 3), f"{argv[1]}: exit code {ran.code}, expected 2 or 3", ran)
            check("-shared-libsan" in ran.out + ran.err, f"{argv[1]} does not say how to build it", ran)


main(test)
