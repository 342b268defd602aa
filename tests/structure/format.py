#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""format.py SOURCE_DIR [--fix]: our code is as clang-format-14 writes it by .clang-format; --fix writes it so. Everywhere
else, too: no line of more than 500 characters, no blank at the end of one. Programs under test are laid out by hand:
reports and expectations name their lines."""
import os
import re
import shutil
import subprocess
import sys

WIDTH = 500
TEXT = (".c", ".h", ".cc", ".def")
OURS = re.compile(r"^(common|record|decode|hbgraph|synth|replay|viz|triage|runtime|tests/unit|tests/fuzz|tests/oracle)/.*\.[ch]$|^tests/engines/[^/]+\.[ch]$|^tests/bench/(.*/)?bench_\w+\.c$")
UNDER_TEST = re.compile(r"/(fixtures|targets|programs)/")
FORMATTER = "clang-format-14"


def listed(source):
    names = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True).stdout.split("\n")
    return [n for n in names if n.endswith(TEXT) and os.path.exists(os.path.join(source, n))]


def lines_of(source, name):
    with open(os.path.join(source, name), encoding="utf-8") as f:
        for number, line in enumerate(f.read().split("\n"), 1):
            if len(line) > WIDTH:
                yield f"{name}:{number}: {len(line)} characters"
            if line != line.rstrip():
                yield f"{name}:{number}: blanks at the end"


def laid_out(source, names, fix):
    how = ["-i"] if fix else ["--dry-run", "--ferror-limit=1"]
    ran = subprocess.run([FORMATTER, "--style=file", *how, *names], cwd=source, capture_output=True, text=True)
    return sorted(set(re.findall(r"^(\S+:\d+):\d+: (?:warning|error)", ran.stderr, re.M)))


def main(source, *options):
    names = listed(source)
    if not names:
        print("no list of files: not a git checkout")
        return 77
    wrong = [w for n in names for w in lines_of(source, n)]
    if shutil.which(FORMATTER):
        ours = [n for n in names if OURS.match(n) and not UNDER_TEST.search(n)]
        wrong += [f"{place}: not as {FORMATTER} writes it; {sys.argv[0]} . --fix" for place in laid_out(source, ours, "--fix" in options)]
    print("\n".join(wrong))
    return 1 if wrong else 0 if shutil.which(FORMATTER) else 77


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
