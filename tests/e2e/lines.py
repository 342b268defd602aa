#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lines.py BIN_DIR PROGRAMS_DIR [all]: what a C++ program's report shows are lines of that program, whatever a library does for them and
whether it is inlined. Most programs are built by one compiler after the other, with "all" each by each, optimised and not; comments in it say what the rows of its lines hold
(SHOWN), what its threads are (THREAD), what the first line is (HEADLINE) and what it prints (SAID)."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

from e2e import SKIPPED, Place, check, main

COMPILERS = {"g++": ["-fsanitize=thread"], "clang++": ["-fsanitize=thread", "-shared-libsan"]}
LEVELS = {"g++": "-O0", "clang++": "-O2"}  # unless all are asked for
NOT_SOME = ("bank.cc", "stock.cc")  # the longest to build of those by g++
PLACE = re.compile(r"  (\S+):(\d+)(?:  |$)")


def marks(source, word):
    with open(source, encoding="utf-8") as f:
        return [(n, m.group(1)) for n, line in enumerate(f, 1) if (m := re.search(rf"/\* {word}: (.*?) \*/", line))]


def build(place, source, compiler, level):
    output = place.path(f"{os.path.basename(source)[:-3]}-{compiler}{level}")
    subprocess.run([compiler, "-std=c++17", "-g", level, *COMPILERS[compiler], "-pthread", source, "-o", output], check=True, cwd=place.dir)
    return output


def rows(out):
    """Those of the table of operations: (file, line, text)."""
    table = out.split("\n\n")[2]
    return [(m.group(1), int(m.group(2)), line) for line in table.splitlines() if (m := PLACE.search(line))]


def check_report(source, ran):
    name, shown = os.path.basename(source), rows(ran.out)
    check(shown, "no table of operations", ran)
    for file, line, text in shown:
        check(file == name, f"a line of a library is shown: {text}", ran)
    for line, text in marks(source, "SHOWN"):
        check(any(n == line and text in row for _, n, row in shown), f"line {line} is not shown with \"{text}\"", ran)
    said = re.sub(r"\s+", " ", ran.out)
    for _, text in marks(source, "THREAD"):
        check(text in said, f"no word of the thread: {text}", ran)
    for _, text in marks(source, "HEADLINE"):
        check(said.startswith("BUG " + text), f"the headline is not {text}", ran)
    for _, text in marks(source, "SAID"):
        check("output " + text in said, f"the block does not show what was printed: {text}", ran)
    for word in ("std::__", "_M_", "basic_string<"):
        check(word not in ran.out, f"the report speaks of the library's own {word}", ran)


def check_files(place, source):
    """Other formats show the same lines. What std::async does before it comes to the program's function is nobody's line."""
    with open(source, encoding="utf-8") as f:
        text = f.read()
    with open(place.path("failure.json"), encoding="utf-8") as f:
        output = json.load(f)["output"]
    printed = "".join(line + "\n" for _, line in marks(source, "SAID"))
    if printed:
        apart = output["stdout"]["size"] + output["stderr"]["size"]
        check((output["size"], output["text"], apart) == (len(printed), printed, len(printed)), f"failure.json says {output}")
        for name in ("--junit", "--markdown", "--html"):
            check(printed[:-1] in place.run("vtb", "viz", name, "failure.json", expect=0).out, f"{name} lacks the output")
    sarif = json.loads(place.run("vtb", "viz", "--sarif", "failure.json", expect=0).out)
    for result in sarif["runs"][0]["results"]:
        for flow in result["codeFlows"][0]["threadFlows"] if "codeFlows" in result else []:  # a warning has none
            for at in flow["locations"]:
                uri = at["location"].get("physicalLocation", {}).get("artifactLocation", {}).get("uri", source)
                check("std::async" in text or uri.endswith(os.path.basename(source)), f"SARIF points to {uri}")


def check_root(place, program):
    """With another root no line is the user's, and what is there is shown as it is."""
    os.mkdir(place.path("elsewhere"))
    ran = place.run("vtb", "hunt", "--seed=1", "--time=300", "--refine=0.1", "--source-root=elsewhere", "--", program, timeout=100, expect=1)
    check("stl_" in ran.out, "lines outside the root are shown as the user's", ran)
    ran = place.run("vtb", "hunt", "--source-root=nowhere", "--", program, expect=2)
    check("--source-root" in ran.err, "a root that is not there is taken", ran)


def test(bin_dir, programs, builds="some"):
    compilers = [c for c in COMPILERS if shutil.which(c)]
    if not compilers:
        sys.exit(SKIPPED)
    for i, source in enumerate(sorted(glob.glob(os.path.join(programs, "*.cc")))):
        if builds == "some" and os.path.basename(source) in NOT_SOME:
            continue
        for compiler in compilers if builds == "all" else (compilers[i % len(compilers)],):
            for level in ("-O0", "-O2") if builds == "all" else (LEVELS[compiler],):
                with Place(bin_dir) as place:
                    program = build(place, source, compiler, level)
                    ran = place.run("vtb", "hunt", "--seed=1", "--time=300", "--refine=2", "--", program, timeout=100, expect=1)
                    check_report(source, ran)
                    check_files(place, source)
                    if (source.endswith("pool.cc"), compiler, level) == (True, compilers[0], LEVELS[compilers[0]]):
                        check_root(place, program)
                    place.none_left()


main(test)
