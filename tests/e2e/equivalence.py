#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""equivalence.py BIN_DIR PROGRAM: by reads-from equivalence dpor finds the same failures as by order, in no more runs."""
import json

from e2e import Place, check, main, need


def hunt(place, program, equivalence):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--keep-going", "--strategy=dpor", "--no-predicate", "--equivalence=" + equivalence, "--", program, timeout=80)
    result = json.loads(ran.out)
    check(result["equivalence"] == equivalence, "the equivalence is not the one asked for", ran)
    return ran, result


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        _, order = hunt(place, program, "order")
        ran, reads_from = hunt(place, program, "reads-from")
        signatures = [{f["signature"] for f in result["findings"]} for result in (order, reads_from)]
        check(signatures[0] == signatures[1], f"other failures: {signatures[0] ^ signatures[1]}", ran)
        check(order["complete"] and reads_from["complete"], "not complete", ran)
        check(reads_from["classes"] <= order["classes"], f"{reads_from['classes']} classes, {order['classes']} by order", ran)


main(test)
