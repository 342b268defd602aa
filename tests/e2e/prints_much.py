#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prints_much.py BIN_DIR PROGRAM: of what a run prints 64 MB are kept, on every engine the same, whoever prints it; the rest
is counted, and it is said."""
import json
import os

from e2e import Place, check, main, need

MAX = 64
WORDS = "what a run printed after its first 64 MB"
ENGINES = ("auto", "forkserver", "exec")
SLACK = {"write": 2 << 20, "stdio": 2 << 20, "child": 64 << 20}  # what a child process prints between two looks


def command(engine, how, mb, status, *options):
    return ["vtb", "hunt", "--json", "--no-canary", "--strategy=random", "--seed=1", "--budget=3", "--time=100",
            f"--engine={engine}", *options, "--", "./program", how, str(mb), str(status)]


def kept_at_most(place, argv):
    """The most memory that the file of the output takes while the command runs, and what it says."""
    p, most = place.start(*argv), 0
    while p.poll() is None:
        folder = f"/proc/{p.pid}/fd"
        try:
            for fd in os.listdir(folder):
                if os.readlink(f"{folder}/{fd}").startswith("/memfd:vtb-output"):
                    most = max(most, os.stat(f"{folder}/{fd}").st_blocks * 512)
        except OSError:
            pass
    out, err = p.communicate()
    return most, p.returncode, f"{out.decode()}\n{err.decode()}"


def outcome(place, engine, mb):
    ran = place.run(*command(engine, "write", mb, 5), timeout=200, expect=1)
    with open(place.path("failure.json"), encoding="utf-8") as f:
        found = json.load(f)["trace"]["outcome"]
    check((WORDS in ran.json()["statement"]) == (mb > MAX), f"engine {engine}, {mb} MB: {ran.json()['statement']}", ran)
    return found["output_size"], found["output_hash"]


def expected(place, mb, differs, code):
    """--expect-output=FILE of that size that differs at its end or not at all."""
    with open(place.path("want"), "wb") as f:
        for i in range(mb):
            f.write(bytes([ord("a") + i % 26]) * (1 << 20))
        f.seek(-1, os.SEEK_END)
        f.write(b"!" if differs else bytes([ord("a") + (mb - 1) % 26]))
    ran = place.run(*command("forkserver", "write", mb, 0, "--expect-output=want"), timeout=200, expect=code)
    check(("only the first 64 MB are compared" in ran.json()["statement"]) == (code == 3), "--expect-output", ran)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        os.symlink(os.path.abspath(program), place.path("program"))
        hashes = set()
        for mb, engines in ((MAX, ENGINES[2:]), (MAX + 3, ENGINES)):
            for engine in engines:
                size, kept = outcome(place, engine, mb)
                check(size == mb << 20, f"engine {engine}, {mb} MB: {size} bytes were counted")
                hashes.add(kept)
        check(len(hashes) == 1, f"the first {MAX} MB are the same everywhere, their hashes are {hashes}")
        for engine in ENGINES:
            for how in SLACK:
                most, code, story = kept_at_most(place, command(engine, how, 100, 0))
                check(code == 0 and WORDS in story, f"{engine}, {how}: exit {code}\n{story}")
                limit = (MAX << 20) + SLACK[how]
                check(most <= limit, f"{engine}, {how}: {most >> 20} MB were kept")
        expected(place, MAX, False, 0)
        expected(place, MAX, True, 1)
        expected(place, MAX + 3, False, 3)
        expected(place, MAX + 3, True, 3)
        place.none_left()


main(test)
