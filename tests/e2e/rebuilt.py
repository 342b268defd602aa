#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rebuilt.py BIN_DIR PROGRAM OTHER: a recording is named after the build that was recorded or not at all, and what is wrong with
the file is said."""
import json
import os
import shutil

from e2e import Place, check, main, need


def named(place):
    """Places with a source line, of the program itself."""
    with open(place.path("trace.json")) as f:
        trace = json.load(f)
    mine = [i for i, m in enumerate(trace["modules"]) if m["path"].endswith("/prog")]
    return sum(1 for s in trace["sites"] if s.get("module") in mine and s.get("line"))


def decoded(place, *options):
    ran = place.run("vtb-decode", *options, "run.vtb", "-o", "trace.json", expect=(0, 3))
    return named(place), ran.err


def test(bin_dir, program, other):
    with Place(bin_dir) as place:
        prog, kept = place.path("prog"), place.path("kept")
        shutil.copy(need(program), prog)
        place.run("vtb-record", "-q", "-o", "run.vtb", "--", prog)
        lines, err = decoded(place)
        check(lines > 0 and "prog" not in err, f"the build itself gives {lines} places and: {err}")
        os.rename(prog, kept)
        for put, words in ((None, "is not there, or cannot be read"), (need(other), "is another build than the recorded one, by its build-id"),
                           (__file__, "is no 64-bit program of this machine")):
            if put:
                shutil.copy(put, prog)
            found, err = decoded(place)
            check(found == 0, f"{put}: {found} places are named after another file")
            check(f"{prog} {words}: " in err and "--symfs=DIR" in err, f"{put}: {err}")
        os.mkdir(place.path("sym"))
        shutil.copy(kept, place.path("sym/prog"))
        found, err = decoded(place, "--symfs=" + place.path("sym"))
        check(found == lines and "prog" not in err, f"--symfs gives {found} places of {lines}: {err}")


main(test)
