#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs, in which one value after another is changed: where the slice says that an access cannot matter, no assertion, no exit
status and no call of a named function may come out otherwise.

  perturb.py SITES HOOKS.so DIRECTORY FIRST PROGRAMS [COMPILER...]"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_program import Program  # noqa: E402

FAILS, NAMED = 1, 16
CHANGES = (1, -2, 1000)


def run(args, **more):
    return subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=60, **more)


def outcome(program, *change):
    """What asserts and statuses tell, and what the named function was called with."""
    p = run([program, *map(str, change)], env={"LD_LIBRARY_PATH": os.path.dirname(HOOKS)})
    if p.returncode < 0 and p.returncode != -6:
        return None  # a crash: of no kind that is looked at
    failed = re.findall(r"prog\.c:\d+: .*", p.stderr)
    return (p.returncode, tuple(failed)), p.stdout


def compile_program(source, compiler, level, program):
    made = program + ".o"
    p = run([compiler, "-g", "-w", level, "-fsanitize=thread", "-c", "prog.c", "-o", made], cwd=os.path.dirname(source))
    if p.returncode:
        sys.exit(f"{source}: {p.stderr}")
    p = run([compiler, made, "-o", program, HOOKS, "-pthread"])
    if p.returncode:
        sys.exit(f"{program}: {p.stderr}")


def kinds_of_lines(program):
    """line -> kinds of all accesses in it."""
    rows = [line.split() for line in run([SITES, program, "check"]).stdout.splitlines()]
    if rows and rows[0][0] == "doubt":
        sys.exit(f"{program}: {rows[0]}")
    places = run(["addr2line", "-e", program, *(hex(int(a, 16) - 1) for a, _ in rows)]).stdout.splitlines()
    kinds = {}
    for (_, k), place in zip(rows, places):
        line = place.split(" ")[0].rsplit(":", 1)[1]
        kinds[line] = kinds.get(line, 0) | int(k, 16)
    return kinds


def check(seed, compiler, level):
    where = os.path.join(DIRECTORY, f"{seed}{compiler}{level}")
    os.makedirs(where, exist_ok=True)
    source, program = os.path.join(where, "prog.c"), os.path.join(where, "prog")
    text = Program(seed).text()
    with open(source, "w") as f:
        f.write(text)
    compile_program(source, compiler, level, program)
    kinds = kinds_of_lines(program)
    plain = outcome(program)
    if plain is None:
        return 0, 0, 0, []
    tried = changed = lines = 0
    wrong = []
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
    return tried, changed, (lines, out, len(kinds)), wrong


def main():
    global SITES, HOOKS, DIRECTORY
    SITES, HOOKS, DIRECTORY = map(os.path.abspath, sys.argv[1:4])
    first, n = int(sys.argv[4]), int(sys.argv[5])
    compilers = [c for c in sys.argv[6:] if shutil.which(c)]
    if not compilers or not shutil.which("addr2line"):
        sys.exit(77)
    jobs = [(seed, c, level) for seed in range(first, first + n) for c in compilers for level in ("-O0", "-O1", "-O2")]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda j: check(*j), jobs))
    tried = sum(r[0] for r in results)
    changed = sum(r[1] for r in results)
    out, all_ = sum(r[2][1] for r in results if r[2]), sum(r[2][2] for r in results if r[2])
    wrong = [w for r in results for w in r[3]]
    print(f"{len(jobs)} programs, {tried} changes, of which {changed} mattered; {out} of {all_} lines with accesses cannot matter to an assertion;"
          f" {len(wrong)} of these did")
    print("\n".join(wrong[:20]))
    if wrong or not changed or not out:
        sys.exit(1)


main()
