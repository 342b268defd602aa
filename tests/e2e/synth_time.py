#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""synth_time.py BIN_DIR: vtb-synth keeps --time on traces, long ones and such as are searched by stretches, and on one that does
not end. Where the machine is too busy for a first schedule it says so and writes nothing."""
import json
import os
import random
import resource
import subprocess

from e2e import Place, check, main

TIME = 0.4
LIMIT = 2.5  # seconds of the processor, whatever else it does: TIME, reading the trace, describing what was found


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def events(n, threads):
    """Threads read and write eight variables under no lock: there is always one more order to try."""
    ways = [json.dumps({"kind": kind, "var": v, "site": v, "addr": hex(4096 + 16 * v), "size": 4, "value": 1})[1:] for v in range(8) for kind in ("read", "write")]
    for i, way in enumerate(random.Random(1).choices(ways, k=n)):
        yield f'{{"thread": "0.{i % threads}", {way}'
    yield json.dumps({"thread": "0.0", "kind": "fail", "verdict": "assertion"})


def trace(threads, order):
    return {
        "format": "vtb-trace", "version": 1, "program": {"argv": ["./many"], "backend": "control"}, "order": order,
        "outcome": {"verdict": "assertion", "thread": "0.0"},
        "sites": [{"function": f"f{i}", "file": "many.c", "line": 10 + i, "function_line": 10} for i in range(8)],
        "threads": [{"path": "0"}] + [{"path": f"0.{i}"} for i in range(threads)],
        "objects": [{"kind": "global", "name": f"v{i}", "key": hex(77 + i), "size": 4} for i in range(8)],
        "variables": [{"name": f"v{i}", "object": i, "size": 4} for i in range(8)],
    }


def write(path, n, threads, order):
    """Its events as text, one by one: json takes seconds for as many."""
    with open(path, "w") as f:
        f.write(json.dumps(trace(threads, order))[:-1] + ', "events": [' + ",\n".join(events(n, threads)) + "]}")


def ended(place, ran):
    """Something was proposed in time, or nothing, which is said. A fast machine may be done before its time is over."""
    path = place.path("schedules.json")
    if ran.code == 3:
        check("ended early: the time was over while" in ran.err and "no schedule is proposed" in ran.err, "not a word of why", ran)
        check(not os.path.exists(path), "a file was written all the same", ran)
        return
    check(ran.code == 0, "neither done nor ended early", ran)
    with open(path) as f:
        check(json.load(f)["schedules"], "no schedule", ran)
    os.unlink(path)


def endless(place):
    """A trace that never comes to its end: reading it is given up, whatever the machine does beside."""
    p = subprocess.Popen(["vtb-synth", f"--time={TIME}", "-o", "schedules.json", "-"], cwd=place.dir, env=place.env, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdin.write(b'{"format": "vtb-trace", "version": 1, "events": [')
    p.stdin.flush()
    code = p.wait(timeout=100)
    said = p.stderr.read().decode()
    check(code == 3 and "the trace was being read" in said, f"exit {code}: {said}")
    check(not [name for name in os.listdir(place.dir) if "schedules" in name], "a file was written")


def test(bin_dir):
    with Place(bin_dir) as place:
        endless(place)
        for n, threads, order in ((20000, 4, "sync"), (20000, 4, "total"), (200000, 8, "total")):
            write(place.path("trace.json"), n, threads, order)
            before = seconds()
            ran = place.run("vtb-synth", f"--time={TIME}", "-o", "schedules.json", "trace.json")
            check(seconds() - before < LIMIT, f"{n} events: {seconds() - before:.1f} s with --time={TIME}", ran)
            ended(place, ran)


main(test)
