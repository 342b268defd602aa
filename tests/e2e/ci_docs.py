#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ci_docs.py BIN_DIR BUILD_DIR SOURCES DOCUMENT WHICH: run the commands of a document with an installed vtb, each block in a directory of its own that has
the files which its first line names. Only blocks whose first line has a file of WHICH (a pattern); a block whose compiler, library or tool is missing
is left out. No block left: skipped. A block that is to fail must leave a failure.json that replays."""
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys

from e2e import SKIPPED, Failed, Place, check, main

NEEDS = {"googletest.cc": "/usr/include/gtest/gtest.h", "catch2.cc": "/usr/include/catch2/catch.hpp", "doctest.cc": "/usr/include/doctest/doctest.h",
         "boost.cc": "/usr/include/boost/test/unit_test.hpp", "check.c": "/usr/include/check.h", "cmocka.c": "/usr/include/cmocka.h",
         "ctest/CMakeLists.txt": "/usr/bin/ctest", "meson/meson.build": "/usr/bin/meson"}
FIRST = re.compile(r"# uses (.+), leaves with (\d+)$")


def blocks(document):
    text = open(document, encoding="utf-8").read()
    for body in re.findall(r"^```sh\n(.*?)^```$", text, re.S | re.M):
        first, _, commands = body.partition("\n")
        named = FIRST.match(first)
        check(named, f"{document}: the block that begins with {first!r} does not say what it uses and leaves with")
        yield named[1].split(), int(named[2]), commands


def needs(*names):
    """Skip where a tool or library is missing."""
    missing = [NEEDS[name] for name in names if not os.path.exists(NEEDS[name])]
    if missing:
        print(f"skipped: there is no {missing[0]}")
        sys.exit(SKIPPED)


def install(place, build):
    place.run("cmake", "--install", build, "--prefix", place.path("prefix"), timeout=120, expect=0)
    check(filecmp.cmp(os.path.join(place.bin, "vtb"), place.path("prefix", "bin", "vtb"), False), f"{place.bin} is not what is installed")
    place.env["PATH"] = os.pathsep.join([place.path("prefix", "bin"), os.environ["PATH"]])
    place.env["CMAKE_PREFIX_PATH"] = place.path("prefix")


def run_block(place, sources, uses, code, commands, number):
    work = place.path(f"block{number}")
    os.mkdir(work)
    for name in uses:
        shutil.copy(os.path.join(sources, name), work)
    ran = place.run("bash", "-c", f"cd {work}\n{commands}", timeout=400)
    check(ran.code == code, f"leaves with {ran.code}, the document says {code}", ran)
    found = glob.glob(os.path.join(work, "**", "failure.json"), recursive=True)
    check(found, "no failure.json", ran)
    for path in found:
        again = place.run("vtb", "replay", "--run", path, timeout=200, expect=1)
        check("1 confirmed" in again.out, "does not replay", again)
    for path in glob.glob(os.path.join(work, "*.xml")):
        check("<flakyFailure" in open(path, encoding="utf-8").read(), f"{path} has no failure", ran)


def test(bin_dir, build, sources, document, which):
    done = 0
    with Place(bin_dir) as place:
        install(place, build)
        for number, (uses, code, commands) in enumerate(blocks(document)):
            if not re.search(which, " ".join(uses)) or not all(os.path.exists(NEEDS[name]) for name in uses):
                continue
            run_block(place, sources, uses, code, commands, number)
            done += 1
        place.none_left()
    return 0 if done else SKIPPED


if __name__ == "__main__":
    main(test)
