#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""signatures.py BIN_DIR BUILD_DIR [brief]: the same bug found by several strategies and seeds, and with its threads created in another order, has
the same signature."""
import os

from e2e import Place, check, main, need

WAYS = [("portfolio", 1), ("dfs", 1), ("random", 1), ("random", 7), ("pct", 3), ("dpor", 1)]
PROGRAMS = ["corpus/account", "corpus/lost_wakeup", "corpus/self_deadlock", "corpus/use_after_free", "primitives/mutex_destroy_in_use/broken",
            "primitives/mutex_unlock_not_owned/broken"]
TURNED = "verdicts/bystander"  # `swapped` as its argument creates its threads the other way round


def signature(place, program, strategy, seed, *args):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", f"--strategy={strategy}", f"--seed={seed}", "--time=300", "--", program, *args, timeout=100, expect=1)
    return ran.json()["signature"]


def one_name(names, program):
    check(len(set(names.values())) == 1, f"{program} has several names: {names}")


def test(bin_dir, build_dir, *brief):
    ways, programs = (WAYS[:1] + WAYS[3:5], ["corpus/use_after_free"]) if brief else (WAYS, PROGRAMS)
    with Place(bin_dir) as place:
        for program in programs:
            path = need(os.path.join(build_dir, program, "tsan-gcc"))
            one_name({(strategy, seed): signature(place, path, strategy, seed) for strategy, seed in ways}, program)
        path = need(os.path.join(build_dir, TURNED, "tsan-gcc"))
        one_name({(strategy, args): signature(place, path, strategy, 5, *args) for strategy in ("portfolio", "random") for args in ((), ("swapped",))}, TURNED)


main(test)
