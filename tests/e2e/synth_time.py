#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""synth_time.py BIN_DIR: vtb-synth keeps --time on traces, long ones and such as are searched by stretches."""
import json
import random
import resource

from e2e import Place, check, main

LIMIT = 3  # seconds of the processor, whatever else it does: --time=1, reading the trace, describing what was found


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def events(n, threads):
    """Threads read and write eight variables under no lock: there is always one more order to try."""
    choose = random.Random(1)
    for i in range(n):
        v = choose.randrange(8)
        yield {"thread": f"0.{i % threads}", "kind": choose.choice(("read", "write")), "var": v, "site": v, "addr": hex(4096 + 16 * v), "size": 4, "value": 1}
    yield {"thread": "0.0", "kind": "fail", "verdict": "assertion"}


def trace(n, threads, order):
    return {
        "format": "vtb-trace", "version": 1, "program": {"argv": ["./many"], "backend": "control"}, "order": order,
        "outcome": {"verdict": "assertion", "thread": "0.0"},
        "sites": [{"function": f"f{i}", "file": "many.c", "line": 10 + i, "function_line": 10} for i in range(8)],
        "threads": [{"path": "0"}] + [{"path": f"0.{i}"} for i in range(threads)],
        "objects": [{"kind": "global", "name": f"v{i}", "key": hex(77 + i), "size": 4} for i in range(8)],
        "variables": [{"name": f"v{i}", "object": i, "size": 4} for i in range(8)],
        "events": list(events(n, threads)),
    }


def test(bin_dir):
    with Place(bin_dir) as place:
        for n, threads, order in ((20000, 4, "sync"), (20000, 4, "total"), (200000, 8, "total")):
            with open(place.path("trace.json"), "w") as f:
                json.dump(trace(n, threads, order), f)
            before = seconds()
            ran = place.run("vtb-synth", "--time=1", "-o", "schedules.json", "trace.json", expect=0)
            check(seconds() - before < LIMIT, f"{n} events: {seconds() - before:.1f} s with --time=1", ran)
            check("Ended early" in ran.out, f"{n} events: the search ended before its time, so this test shows nothing", ran)
            with open(place.path("schedules.json")) as f:
                check(json.load(f)["schedules"], f"{n} events: no schedule", ran)


main(test)
