#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""selective.py BIN_DIR STRATEGY MOST PROGRAM...: without the accesses that do not matter the same failures are found, with the same tuples. With some
of the programs that leaves something out; MOST schedules of each are run."""
import re

from e2e import Place, check, main, need

PARTIAL = re.compile(r"In ([0-9,]+) of them accesses at places")
TIME = 60  # seconds: a search ended by it shows nothing of the kind


def hunt(place, program, strategy, most, when):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--keep-going", "--jobs=1", "--strategy=" + strategy, "--symmetry=off", f"--budget={most}",
                    f"--time={TIME}", "--selective=" + when, "--", program, expect=(0, 1, 3), timeout=3 * TIME)
    result = ran.json()
    partial = PARTIAL.search(result["statement"])
    return ran, result, int(partial.group(1).replace(",", "")) if partial else 0


def failures(result):
    return sorted((f["signature"], f["tuple"]["c"], f["tuple"]["v"]) for f in result["findings"])


def test(bin_dir, strategy, most, *programs):
    left_out = 0
    with Place(bin_dir) as place:
        for program in programs:
            off, without, none = hunt(place, need(program), strategy, most, "off")
            on, with_, some = hunt(place, program, strategy, most, "on")
            check(none == 0, f"{program}: accesses were left out with --selective=off", off)
            left_out += some
            check("failed only with some accesses" not in with_["statement"], f"{program}: a run without some accesses went another way", on)
            if max(without["seconds"], with_["seconds"]) >= TIME:
                continue
            check(with_["verdict"] == without["verdict"], f"{program}: {without['verdict']} became {with_['verdict']}", on)
            check(failures(with_) == failures(without), f"{program}: other failures: {failures(without)} became {failures(with_)}", on)
    check(left_out > 0, "nothing was ever left out")
    print(f"{left_out} schedules were run without all accesses")


main(test)
