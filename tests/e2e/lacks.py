#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lacks.py BIN_DIR PROGRAM: vtb doctor and vtb hunt on a machine without Syscall User Dispatch and FSGSBASE say what is used instead."""
from e2e import Place, check, main, need

ANY, UNKNOWN_TO_KERNEL, NONE = {"wrfsbase", "guarded", "arch_prctl"}, {"guarded", "arch_prctl"}, {"arch_prctl"}  # by what this machine allows
LACKS = {"": ("dispatch", ANY), "fsgsbase": ("dispatch", UNKNOWN_TO_KERNEL), "dispatch": ("seccomp", ANY), "dispatch fsgsbase guard": ("seccomp", NONE)}


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for lacks, (calls, pointers) in LACKS.items():
            place.env["VTB_TEST_LACKS"] = lacks
            ran = place.run("vtb", "doctor", "--json", program, expect=(0,))
            choice, why = ran.json()["choice"], ran.json()["why"]
            if calls == "dispatch" and choice["system_calls"] != calls:
                continue  # this machine has it not
            check(choice["system_calls"] == calls and choice["thread_pointer"] in pointers, f"lacks {lacks!r}: {choice}", ran)
            check(calls == "dispatch" or (choice["engine"] == "forkserver" and "Syscall User Dispatch" in why["engine"]), f"lacks {lacks!r}: engine {choice['engine']}, {why['engine']}", ran)
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=0.5", "--", program, expect=(1,), timeout=100)
            found = ran.json()
            check(found["engine"] == choice["engine"] and found["carrier"] == "fibers", f"a hunt uses {found['engine']}, {found['carrier']}", ran)


main(test)
