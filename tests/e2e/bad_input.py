#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bad_input.py BIN_DIR PROGRAM [MUTANTS]: missing, truncated, corrupt and hostile files for every command that reads one.

Files that are plainly wrong: exit 2, one line that names the file, nothing written. Valid files with a random change: any
answer but a crash, a hang, or a half-written output."""
import copy
import json
import os
import random
import shutil

from e2e import Place, check, main, need

DEEP = 200000
HUGE = 10**9

# name -> content. All of them are wrong for every reader.
WRONG = {
    "empty": b"",
    "garbage": bytes(range(256)) * 16,
    "not-json": b"{\"format\": \"vtb-trace\", \"version\": 1, ",
    "not-utf8": b"{\"format\": \"\xff\xfe\"}",
    "list": b"[]",
    "number": b"42",
    "no-format": b"{}",
    "other-format": b'{"format": "png", "version": 1}',
    "deep-list": b"[" * DEEP + b"]" * DEEP,
    "deep-object": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep-unclosed": b"[" * DEEP,
    "long-number": b'{"format": ' + b"9" * 100000 + b"}",
    "nul-in-name": b'{"for\\u0000mat": "vtb-trace"}',
    "lone-surrogate": b'{"format": "\\ud800"}',
    "duplicate": b'{"format": "vtb-trace", "format": "vtb-schedules"}',
}

COMMANDS = {
    "vtb-decode": (["-o", "OUT"], "recording"),
    "vtb-hb": ([], "trace"),
    "vtb-synth": (["-o", "OUT"], "trace"),
    "vtb-replay": (["--run"], "schedules"),
    "vtb-viz": (["--dot"], "trace"),
}


def command(name, path):
    options, _ = COMMANDS[name]
    return [name, path] + [o if o != "OUT" else "output.json" for o in options]


def refused(place, name, path, why):
    """Exit 2, one line on stderr that names the file, no output of any kind."""
    before = set(os.listdir(place.dir))
    ran = place.run(*command(name, path), timeout=30)
    check(ran.code == 2, f"{name} on {why}: exit code {ran.code}, expected 2", ran)
    lines = ran.err.strip().splitlines()
    check(len(lines) == 1, f"{name} on {why}: {len(lines)} lines on stderr, expected one", ran)
    check(os.path.basename(path) in ran.err, f"{name} on {why}: the message does not name the file", ran)
    check(ran.out == "", f"{name} on {why}: something was printed before the input was refused", ran)
    check(set(os.listdir(place.dir)) == before, f"{name} on {why}: files appeared: {set(os.listdir(place.dir)) - before}", ran)


def plainly_wrong(place):
    for label, content in WRONG.items():
        with open(place.path(f"wrong-{label}.json"), "wb") as f:
            f.write(content)
    os.mkdir(place.path("empty-directory.vtb"))
    for name in COMMANDS:
        refused(place, name, "there-is-no-such-file.json", "a missing file")
        refused(place, name, "empty-directory.vtb", "an empty directory")
        for label in WRONG:
            refused(place, name, f"wrong-{label}.json", label)


def wrong_by_one_member(place, name, path, document):
    """A valid document with one member made wrong in a way no reader may accept."""
    changes = {
        "version 999": lambda d: d.update(version=999),
        "version -1": lambda d: d.update(version=-1),
        "version as text": lambda d: d.update(version="1"),
        "unknown format": lambda d: d.update(format="vtb-nothing"),
    }
    for label, change in changes.items():
        bad = copy.deepcopy(document)
        change(bad)
        with open(place.path("one-member.json"), "w") as f:
            json.dump(bad, f)
        refused(place, name, "one-member.json", f"{path} with {label}")
    with open(place.path(path), "rb") as f:
        whole = f.read()
    for part in (1, len(whole) // 3, len(whole) // 2, len(whole.rstrip()) - 1):
        with open(place.path("truncated.json"), "wb") as f:
            f.write(whole[:part])
        refused(place, name, "truncated.json", f"{path} cut to {part} bytes")


def leaves(value, where=()):
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], where + (key,))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from leaves(one, where + (i,))
    yield where


def replaced(document, where, make):
    document = copy.deepcopy(document)
    at = document
    for step in where[:-1]:
        at = at[step]
    old = at[where[-1]]
    new = make(old)
    if new is None:
        del at[where[-1]]
    else:
        at[where[-1]] = new
    return document


MUTATIONS = [
    lambda old: -1,
    lambda old: HUGE,
    lambda old: 2**63,
    lambda old: 2**64 - 1,
    lambda old: 1.5,
    lambda old: None,
    lambda old: "a\0b",
    lambda old: "x" * 70000,
    lambda old: [],
    lambda old: {},
    lambda old: 0,
    lambda old: True,
    lambda old: [old] * 3 if not isinstance(old, (dict, list)) or len(old) < 50 else [],
    lambda old: old + 1 if isinstance(old, int) else "../../../etc/passwd",
    lambda old: "../escape.bin",
]


def survives(place, argv, label):
    """Any exit code of ours; run() itself fails on a signal or a time-out."""
    ran = place.run(*argv, timeout=60)
    check(ran.code in (0, 1, 2, 3), f"{label}: exit code {ran.code}", ran)
    check("AddressSanitizer" not in ran.err and "runtime error" not in ran.err, label, ran)
    if ran.code == 2:
        check(len(ran.err.strip().splitlines()) == 1, f"{label}: more than one line on stderr", ran)
    half = [n for n in os.listdir(place.dir) if n.endswith(".tmp") or (n == "output.json" and ran.code >= 2)]
    check(not half, f"{label}: a half-written output is left: {half}", ran)
    for name in ("output.json", "failure.json.new"):
        if os.path.exists(place.path(name)):
            os.remove(place.path(name))


def mutants(place, name, path, count, rng):
    with open(place.path(path)) as f:
        document = json.load(f)
    wrong_by_one_member(place, name, path, document)
    places = [where for where in leaves(document) if where]
    for i in range(count):
        where, make = rng.choice(places), rng.choice(MUTATIONS)
        with open(place.path("mutant.json"), "w") as f:
            json.dump(replaced(document, where, make), f)
        survives(place, command(name, "mutant.json"), f"{name}: mutant {i} of {path}: {'.'.join(map(str, where))}")


def recording_mutants(place, count, rng):
    files = [n for n in sorted(os.listdir(place.path("run.vtb"))) if os.path.isfile(place.path("run.vtb", n))]
    check(files, "the recording has no files")
    for i in range(count):
        shutil.rmtree(place.path("bad.vtb"), ignore_errors=True)
        shutil.copytree(place.path("run.vtb"), place.path("bad.vtb"))
        name = rng.choice(files)
        with open(place.path("bad.vtb", name), "r+b") as f:
            size = os.fstat(f.fileno()).st_size
            kind = rng.randrange(4)
            used = min(size, 65536)  # the beginning holds headers and records; far behind is empty space
            if kind == 0:
                f.truncate(rng.choice((0, 1, 8, 64, max(size // 2, 1), max(size - 1, 0))))
            elif kind == 1:
                f.seek(rng.randrange(max(used, 1)))
                f.write(bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 8, 256)))))
            elif kind == 2:
                f.seek(rng.randrange(max(used // 8, 1)) * 8)
                f.write(rng.choice((b"\xff" * 8, b"\0" * 8, HUGE.to_bytes(8, "little"), b"\x01" + b"\0" * 7)))
            else:
                f.close()
                os.remove(place.path("bad.vtb", name))
        survives(place, command("vtb-decode", "bad.vtb"), f"vtb-decode: mutant {i} of {name}")


def usage(place):
    """Programs that cannot be run, options that do not exist."""
    with open(place.path("not-executable"), "w") as f:
        f.write("#!/bin/sh\n")
    for hunt in (["vtb", "hunt"], ["vtb-replay", "schedules.json"]):
        for program in ("./there-is-no-such-program", "./not-executable", "/"):
            ran = place.run(*hunt, "--", program, timeout=30)
            check(ran.code == 2, f"{' '.join(hunt)} on {program}: exit code {ran.code}, expected 2", ran)
            check(os.path.basename(program) in ran.err, f"{' '.join(hunt)} on {program}: the message does not name it", ran)
    for program, code in (("./there-is-no-such-program", 127), ("./not-executable", 126), ("/", 126)):
        ran = place.run("vtb-record", "--", program, timeout=30)
        check(ran.code == code, f"vtb-record on {program}: exit code {ran.code}, expected {code}", ran)
    for name in list(COMMANDS) + ["vtb-record", "vtb-hunt"]:
        ran = place.run(name, "--there-is-no-such-option", timeout=30)
        check(ran.code in ({125, 2} if name == "vtb-record" else {2}), f"{name}: exit code {ran.code} for an unknown option", ran)


def test(bin_dir, program, count="40"):
    rng = random.Random(20231)
    count = int(count)
    with Place(bin_dir) as place:
        plainly_wrong(place)
        need(program)
        place.run("vtb-record", "-o", "run.vtb", "--", program, expect=(0, 134))  # it may fail by itself
        place.run("vtb-decode", "run.vtb", "-o", "trace.json", expect=0)
        place.run("vtb-synth", "trace.json", "-o", "schedules.json", expect=0)
        usage(place)
        for name in ("vtb-hb", "vtb-synth", "vtb-viz"):
            mutants(place, name, "trace.json", count, rng)
        mutants(place, "vtb-replay", "schedules.json", count // 4, rng)
        recording_mutants(place, count, rng)
        place.none_left()


main(test)
