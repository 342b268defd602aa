#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""layers.py SOURCE_DIR: the shape of the tree. No library uses one downstream of it, no public header shows a third-party type,
commands are thin, files are short."""
import os
import re
import sys

ORDER = ["common", "runtime", "record", "decode", "hbgraph", "synth", "replay", "viz", "triage"]
# runner.h is the interface that replay implements for synth: it lies in synth.
FOREIGN = ["intel-pt.h", "capstone/", "igraph", "jansson.h", "elfutils/", "dwarf.h", "libelf.h", "gelf.h", "zstd.h", "xxhash.h"]
COMMAND_LINES = 150
FILE_LINES = 600

wrong = []


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def sources(top, *suffixes):
    for where, dirs, names in os.walk(top):
        dirs[:] = [d for d in dirs if d not in (".git", "build")]
        for name in sorted(names):
            if name.endswith(suffixes):
                yield os.path.join(where, name)


def check_uses():
    for stage in ORDER:
        text = read(os.path.join(stage, "CMakeLists.txt"))
        for call in re.findall(r"vtb_library\((.*?)\)", text, re.S):
            used = re.search(r"\bUSES\b(.*?)(?:\bPACKAGES\b|$)", call, re.S)
            for name in used.group(1).split() if used else []:
                if name in ORDER and ORDER.index(name) >= ORDER.index(stage):
                    wrong.append(f"{stage}/CMakeLists.txt: uses {name}, which is downstream of it")


def check_headers():
    for stage in ORDER:
        for path in sources(os.path.join(stage, "include"), ".h"):
            for header in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', read(path), re.M):
                if any(header.startswith(foreign) for foreign in FOREIGN):
                    wrong.append(f"{path}: a public header includes <{header}>")


def check_sizes():
    for stage in ORDER + ["tests"]:
        for path in sources(stage, ".c", ".h"):
            lines = read(path).count("\n")
            if lines > FILE_LINES:
                wrong.append(f"{path}: {lines} lines, at most {FILE_LINES}")
            if "/cmd/" in path and lines > COMMAND_LINES:
                wrong.append(f"{path}: a command of {lines} lines; its logic belongs into the library")


def check_debris():
    for stage in ORDER + ["tests", "script", "cmake"]:
        for path in sources(stage, ".c", ".h", ".py", ".sh", ".cmake"):
            if re.search(r"\b(TO" + "DO|FIX" + r"ME|XX" + r"X)\b", read(path)):
                wrong.append(f"{path}: unfinished business is left in a comment")


os.chdir(sys.argv[1])
check_uses()
check_headers()
check_sizes()
check_debris()
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
