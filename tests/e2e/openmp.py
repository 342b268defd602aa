#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""openmp.py BIN_DIR GCC WHAT SOURCE...: OpenMP programs on libvtb-omp.so.
right     a hunt finds nothing and suspects nothing, and no schedule prints anything but what the program prints on libgomp
complete  likewise, and all schedules were tried
wrong     the bug is found, three replays show it, and the report says what the source says after "says:"
classes   random schedules show as many classes as the search by partial orders, and no more
tells     with a library that has hooks itself ($VTB_OPENMP_TELLS) likewise, and as many classes
lacking   it calls what the library has not: it runs on libgomp, and the statement says that this has no hooks
plain     a program without hooks; pads: one built by vtb cc"""
import os
import re
import shutil

from e2e import SKIPPED, Place, check, main

SECONDS = 6


def build(place, gcc, source, *, how=("-fsanitize=thread",)):
    program = place.path(os.path.basename(source)[:-2])
    place.run(*(["vtb", "cc"] if how == "pads" else []), gcc, "-g", "-fopenmp", *([] if how == "pads" else how), source, "-o", program, expect=0)
    return program


def hunt(place, program, *options, seconds=SECONDS):
    return place.run("vtb", "hunt", "--seed=1", f"--time={seconds}", "--json", *options, "--", program, timeout=seconds + 60)


def on_libgomp(place, gcc, source):
    """A file with what the program prints there."""
    ran = place.run(build(place, gcc, source, how=()), expect=0)
    with open(place.path("expected"), "w") as f:
        f.write(ran.out)
    return place.path("expected")


def right(place, gcc, source, *, complete=False, how=("-fsanitize=thread",)):
    expected = on_libgomp(place, gcc, source)
    ran = hunt(place, build(place, gcc, source, how=how), f"--expect-output={expected}")
    got = ran.json()
    check(ran.code == 0 and not got["findings"], f"{source}: exit {ran.code}, verdict {got['verdict']}", ran)
    check(not got["suspects"], f"{source}: suspects {got['suspects']}", ran)
    check("libgomp" not in got["statement"], f"{source}: it ran on libgomp", ran)
    check(got["complete"] or not complete, f"{source}: not complete", ran)


def wrong(place, gcc, source):
    with open(source) as f:
        wanted = re.search(r"says: (.*?) \*/", f.read(), re.S)
    check(wanted, f"{source}: it does not say what is said of it")
    ran = place.run("vtb", "hunt", "--seed=1", f"--time={SECONDS}", "--", build(place, gcc, source), timeout=SECONDS + 60, expect=1)
    check("3 of 3 replays fail the same way" in ran.out, f"{source}: not proved", ran)
    check(wanted.group(1) in " ".join(ran.out.split()), f"{source}: the report does not say {wanted.group(1)!r}", ran)
    place.run("vtb", "replay", "--run", "failure.json", expect=1)


def classes(place, gcc, source):
    program = build(place, gcc, source)
    options = ("--keep-going", "--no-predicate", "--symmetry=off")
    orders = hunt(place, program, "--strategy=dpor", *options).json()
    walks = hunt(place, program, "--strategy=random", *options).json()
    check(orders["complete"], f"{source}: dpor is not complete")
    check(orders["classes"] == walks["classes"], f"{source}: {orders['classes']} classes by dpor, {walks['classes']} by random")


def lacking(place, gcc, source):
    ran = hunt(place, build(place, gcc, source), "--budget=20")
    got = ran.json()
    check("libgomp.so.1" in got["unhooked"], f"{source}: libgomp is not named: {got['unhooked']}", ran)
    check(not got["findings"], f"{source}: verdict {got['verdict']}", ran)


def beside(place, library):
    """A runtime with this one for libvtb-omp.so."""
    lib = os.path.join(os.path.dirname(place.bin), "lib")
    os.makedirs(place.path("lib/vtb"))
    shutil.copy(os.path.join(lib, "libvtb-rt.so"), place.path("lib"))
    for name in ("libtsan.so.2", "libclang_rt.tsan-x86_64.so", "libvtb-cxx.so"):
        shutil.copy(os.path.join(lib, "vtb", name), place.path("lib/vtb"))
    shutil.copy(library, place.path("lib/vtb/libvtb-omp.so"))
    return place.path("lib/libvtb-rt.so")


def tells(place, gcc, source):
    program = build(place, gcc, source)
    options = ("--strategy=dpor", "--no-predicate", "--symmetry=off")
    silent = hunt(place, program, *options).json()
    place.env["VTB_RT"] = beside(place, os.environ["VTB_OPENMP_TELLS"])
    ran = hunt(place, program, *options)
    got = ran.json()
    check(got["accesses"] > silent["accesses"], f"{source}: nothing more was told", ran)
    check(got["complete"] and not got["findings"] and not got["suspects"], f"{source}: suspects {got['suspects']}", ran)
    check(got["classes"] == silent["classes"], f"{source}: {got['classes']} classes, {silent['classes']} without hooks", ran)


KINDS = {
    "right": right,
    "complete": lambda *a: right(*a, complete=True),
    "wrong": wrong,
    "classes": classes,
    "lacking": lacking,
    "tells": tells,
    "plain": lambda *a: right(*a, complete=True, how=()),
    "pads": lambda *a: right(*a, complete=True, how="pads"),
}


def test(bin_dir, gcc, what, *sources):
    if not gcc:
        print("skipped: there is no gcc")
        return SKIPPED
    for source in sources:
        with Place(bin_dir) as place:
            KINDS[what](place, gcc, os.path.abspath(source))
            place.none_left()


main(test)
