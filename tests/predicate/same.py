#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same.py BIN_DIR FAILURES CC CXX [LEVEL...]: programs in which what decides a failure goes unusual ways: code without hooks, libc, errno, signals,
exits, jumps, exceptions, libraries. With and without predicate dependence each fails alike; and each fails, or it would show nothing."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from e2e import Place, check, main

# source, ways (-DHOW=n), why it is not sliced
ROWS = [("unseen.c", 8, ""), ("locked.c", 2, ""), ("errno.c", 1, ""), ("waits.c", 2, ""), ("ends.c", 5, ""), ("signals.c", 2, ""), ("jumps.c", 4, ""),
        ("own.c", 1, ""), ("pointers.c", 1, ""), ("faults.c", 2, ""), ("try.c", 1, ""), ("bytes.c", 1, ""), ("throws.cc", 3, ""), ("lands.cc", 12, ""),
        ("uses_library.c", 2, ""), ("loads_plugin.c", 5, ""), ("flows/code.c", 44, ""), ("flows/libc.c", 36, ""), ("flows/given.c", 14, ""), ("flows/control.c", 22, ""), ("flows/words.c", 44, ""),
        ("flows/objects.cc", 32, ""), ("flows/containers.cc", 28, "")]
SHORT = {"unseen.c": (7,), "locked.c": (2,), "waits.c": (2,), "ends.c": (4,), "signals.c": (2,), "jumps.c": (3,), "faults.c": (2,), "uses_library.c": (1,), "throws.cc": (), "lands.cc": (10,), "flows/code.c": (5,), "flows/libc.c": (2,), "flows/given.c": (6,), "flows/control.c": (21,), "flows/words.c": (28,), "loads_plugin.c": (2,),
         "flows/objects.cc": (2,), "flows/containers.cc": ()}  # ways in the default set, which names no levels
SLICED = {("loads_plugin.c", how) for how in range(1, 6)} | {("flows/control.c", 21), ("flows/control.c", 22)}  # of which it was once refused
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "same")
FLAGS = ["-g", "-fno-builtin", "-fsanitize=thread", "-pthread"]


def compile_with(place, command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=place.dir)
    check(done.returncode == 0, f"it does not compile: {command}\n{done.stderr}")


def build(place, compilers, level, source, how):
    cc = compilers[source.endswith(".cc")].split()
    library = []
    if source.startswith(("uses_", "loads_")):
        name = source.split("_", 1)[1]
        library = ["./" + name[:-2] + ".so"]
        compile_with(place, [*cc, level, *FLAGS, "-shared", "-fPIC", "-o", library[0], os.path.join(HERE, name)])
    if source.startswith("loads_"):
        library = ["-rdynamic", "-ldl"]
    standard = ["-std=gnu++17"] if source.endswith(".cc") else []
    compile_with(place, [*cc, level, *FLAGS, *standard, f"-DHOW={how}", "-o", "prog", os.path.join(HERE, source), *library, "-Wl,-rpath,.", "-lm"])


def search(place, failures, how):
    ran = place.run(failures, "./prog", how, "20000", timeout=120, expect=0)
    end = dict(w.split("=") for w in ran.out.splitlines()[-1].split()[1:])
    check(end["complete"] == "1", f"{how}: the search does not end", ran)
    return {line for line in ran.out.splitlines() if line.startswith("failure ")}, end, ran.err


def compare(place, failures, doubt, sliced=False):
    want, end, _ = search(place, failures, "all")
    check(want, "it fails")
    for how in ("predicate", "assertions", "later"):
        got, ended, said = search(place, failures, how)
        expected = want if how != "assertions" else {f for f in want if f.startswith("failure assertion ")}
        check(expected <= got <= want, f"{how}: {sorted(got)} are not {sorted(expected)}")
        check(not sliced or "prog:" not in said, f"{how}: it is sliced: {said!r}")
        check(how == "later" or doubt in said, f"{how}: it says why the program is not sliced: {doubt}: {said!r}")
        print(f"    {how}: {end['schedules']} -> {ended['schedules']} runs, {ended['places']} places left out")


def test(bin_dir, failures, cc, cxx, *levels):
    failed = []
    with Place(bin_dir) as place:
        for source, ways, doubt in ROWS:
            for name, how, level in [(f"{source} {how} {level}", how, level) for how in range(1, ways + 1) for level in levels or ("-O1",)
                                     if levels or how in SHORT.get(source, (how,))]:
                print(name)
                try:
                    build(place, (cc, cxx), level, source, how)
                    compare(place, os.path.abspath(failures), doubt, (source, how) in SLICED)
                except Exception as e:
                    print(f"FAILED: {name}: {e}", flush=True)
                    failed.append(name)
        place.none_left()
    check(not failed, f"these do not fail alike: {failed}")


if __name__ == "__main__":
    main(test)
