#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hides.py BIN_DIR PROGRAM KIND: a failure of every schedule does not hide one that an order is to blame for; each is replayed."""
from e2e import Place, check, main, need


def test(bin_dir, program, kind):
    need(program)
    with Place(bin_dir) as place:
        ran = place.run("vtb", "hunt", "--time=300", "--seed=1", "--json", "--", program, expect=1)
        got = ran.json()
        always, sometimes = (got["findings"] + [{}, {}])[:2]
        check(got["verdict"] == "regardless" and got["tuple"] is None, "the failure of every schedule comes first", ran)
        check(always["verdict"] == "regardless" and always["signature"].startswith(kind), f"its kind is {kind}", ran)
        check(sometimes.get("signature", "").startswith("assertion:main"), "the assertion is found, too", ran)
        check(sometimes["tuple"] == {"c": 1, "v": 1, "t": 2}, "with its own tuple", ran)
        for finding in got["findings"]:
            place.run("vtb", "replay", "--run", finding["failure"], expect=1)
        place.none_left()


main(test)
