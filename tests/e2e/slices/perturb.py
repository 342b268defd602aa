#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs, of C (each fourth jumps; those of make_directed.py have seeds of their own) or, for compilers of that name, C++, in which one value after another is changed: where the slice says that an access cannot matter, no assertion, no exit
status and no call of a named function may come out otherwise. And where it says that no other
thread's access can be in conflict with one, none is in a run.

  perturb.py SITES HOOKS.so DIRECTORY FIRST PROGRAMS [COMPILER | -OLEVEL]..."""
import os
import re
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_chains import END, Chains  # noqa: E402
from make_chains import FIRST as FIRST_CHAIN  # noqa: E402
from make_directed import FIRST, directed  # noqa: E402
from make_jumping import Jumping  # noqa: E402
from make_program import Program  # noqa: E402
from make_throwing import Throwing  # noqa: E402

FAILS, NAMED, ALONE = 1, 16, 128
CHANGES = (1, -2, 1000)


def run(args, **more):
    return subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=60, **more)


def outcome(program, *change, **env):
    """What asserts and statuses tell, and what the named function was called with."""
    p = run([program, *map(str, change)], env={"LD_LIBRARY_PATH": os.path.dirname(HOOKS), **env})
    if p.returncode < 0 and p.returncode != -6:
        return None  # a crash: of no kind that is looked at
    failed = re.findall(r"prog\.cc?:\d+: .*", p.stderr)
    return (p.returncode, tuple(failed)), p.stdout


def compile_program(source, compiler, level, program):
    made = program + ".o"
    p = run([compiler, "-g", "-w", level, "-fsanitize=thread", "-c", os.path.basename(source), "-o", made], cwd=os.path.dirname(source))
    if p.returncode:
        sys.exit(f"{source}: {p.stderr}")
    p = run([compiler, made, "-o", program, HOOKS, "-pthread"])
    if p.returncode:
        sys.exit(f"{program}: {p.stderr}")


def kinds_of_places(program):
    """Address and kinds of each access."""
    rows = [line.split() for line in run([SITES, program, "check"]).stdout.splitlines()]
    if rows and rows[0][0] == "doubt":
        sys.exit(f"{program}: {rows[0]}")
    return rows


def conflicts(rows, accesses):
    """Places of which an access was in conflict with another thread's in a run; and those of them that are said to have none such."""
    by_byte, met = {}, set()
    with open(accesses, "rb") as f:
        noted = {row for row in struct.iter_unpack("QQQII", f.read()) if row[4]}
    for at, place, size, writes, thread in noted:
        for byte in range(at, at + size):
            by_byte.setdefault(byte, set()).add((place, writes, thread))
    for done in by_byte.values():
        writers = {thread for _, writes, thread in done if writes}
        threads = {thread for _, _, thread in done}
        met |= {place for place, writes, thread in done if (threads if writes else writers) - {thread}}
    alone = {int(a, 16) for a, k in rows if int(k, 16) & ALONE}
    return met, met & alone, alone


def kinds_of_lines(program, rows):
    """line -> kinds of all accesses in it."""
    places = run(["addr2line", "-e", program, *(hex(int(a, 16) - 1) for a, _ in rows)]).stdout.splitlines()
    kinds = {}
    for (_, k), place in zip(rows, places):
        line = place.split(" ")[0].rsplit(":", 1)[1]
        kinds[line] = kinds.get(line, 0) | int(k, 16)
    return kinds


def check(seed, compiler, level):
    where = os.path.join(DIRECTORY, f"{seed}{compiler}{level}")
    os.makedirs(where, exist_ok=True)
    throws = compiler.endswith("++")
    source, program = os.path.join(where, "prog.cc" if throws else "prog.c"), os.path.join(where, "prog")
    if seed >= FIRST:
        text = directed(seed, throws)
    elif FIRST_CHAIN <= seed < END:
        text = Chains(seed, throws).text()
    else:
        text = (Throwing if throws else Jumping if seed % 4 == 0 else Program)(seed).text()
    with open(source, "w") as f:
        f.write(text)
    compile_program(source, compiler, level, program)
    rows = kinds_of_places(program)
    kinds = kinds_of_lines(program, rows)
    plain = outcome(program, ACCESSES=program + ".accesses")
    if plain is None:
        return 0, 0, 0, [], (0, 0, [])
    met, said_alone, alone = conflicts(rows, program + ".accesses")
    os.unlink(program + ".accesses")
    tried = changed = lines = 0
    wrong = []
    shared = [f"{program}: another thread's access is in conflict with the one at {at:#x}" for at in sorted(said_alone)]
    for number, line in enumerate(text.splitlines(), 1):
        store = re.search(r"= .*\+ P\[(\d+)\];$", line)
        if not store or str(number) not in kinds:
            continue
        lines += 1
        for by in CHANGES:
            other = outcome(program, store.group(1), by)
            if other is None:
                continue
            tried += 1
            ended, said = other[0] != plain[0], other[1] != plain[1]
            changed += ended or said
            if ended and not kinds[str(number)] & FAILS:
                wrong.append(f"{source}:{number}: by {by}: ended {plain[0]}, now {other[0]}")
            # What is said after the end of another run is not said; the end is looked at above.
            if said and not ended and not kinds[str(number)] & NAMED:
                wrong.append(f"{source}:{number}: by {by}: said {plain[1]!r}, now {other[1]!r}")
    out = sum(not k & FAILS for k in kinds.values())
    return tried, changed, (lines, out, len(kinds)), wrong, (len(met), len(alone), shared)


def main():
    global SITES, HOOKS, DIRECTORY
    SITES, HOOKS, DIRECTORY = map(os.path.abspath, sys.argv[1:4])
    first, n = int(sys.argv[4]), int(sys.argv[5])
    compilers = [c for c in sys.argv[6:] if shutil.which(c)]
    levels = [a for a in sys.argv[6:] if a.startswith("-O")] or ("-O0", "-O1", "-O2")
    if not compilers or not shutil.which("addr2line"):
        sys.exit(77)
    jobs = [(seed, c, level) for seed in range(first, first + n) for c in compilers for level in levels]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda j: check(*j), jobs))
    tried = sum(r[0] for r in results)
    changed = sum(r[1] for r in results)
    out, all_ = sum(r[2][1] for r in results if r[2]), sum(r[2][2] for r in results if r[2])
    wrong = [w for r in results for w in r[3]]
    met, alone = (sum(r[4][k] for r in results) for k in (0, 1))
    print(f"{len(jobs)} programs, {tried} changes, of which {changed} mattered; {out} of {all_} lines with accesses cannot matter to an assertion;"
          f" {len(wrong)} of these did")
    shared = [w for r in results for w in r[4][2]]
    print(f"{met} accesses were in conflict with another thread's, {alone} cannot be; {len(shared)} of these were")
    print("\n".join((wrong + shared)[:int(os.environ.get("LINES", 20))]))
    if first >= FIRST and any(not r[1] for r in results):
        sys.exit("changes matter in each of these programs")
    if wrong or shared or not changed or (first < FIRST_CHAIN and not (out and met and alone)):
        sys.exit(1)


main()
