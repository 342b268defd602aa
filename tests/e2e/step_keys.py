#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""step_keys.py BIN_DIR SOURCE COMPILER OPT: one build, recorded by single-stepping and by its hooks: what both saw is one object, with one
name and one key, whoever unwound the stacks of the allocations."""
import collections
import json

from e2e import SKIPPED, Place, check, main

KINDS = {"heap", "global", "sync"}


def objects(place, backend):
    place.run("vtb-record", f"--backend={backend}", "-o", f"{backend}.vtb", "--", "./prog", timeout=60, expect=0)
    place.run("vtb-decode", f"{backend}.vtb", "-o", f"{backend}.json", expect=0)
    with open(place.path(f"{backend}.json")) as f:
        trace = json.load(f)
    return {o["key"]: (o["kind"], o["name"]) for o in trace["objects"] if o["kind"] in KINDS}


def test(bin_dir, source, compiler, opt):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        place.run("vtb", "c++", compiler, opt, "-g", "-pthread", "-o", "prog", source, expect=0)
        stepped, hooked = objects(place, "step"), objects(place, "rt")
        strange = {key: name for key, name in stepped.items() if hooked.get(key) != name}
        check(not strange, f"{strange} are not among {hooked}")
        kinds = collections.Counter(kind for kind, _ in stepped.values())
        check(kinds["heap"] >= 8 and kinds["global"] >= 5 and kinds["sync"] == 1, f"too little is in both: {kinds}")
        print(f"{opt}: {sum(kinds.values())} objects of the stepped run are among {len(hooked)}")


main(test)
