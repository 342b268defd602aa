#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tsan_symbols.py RUNTIME COMPILER...: every function of the public interface of the compilers' own sanitizer is in the runtime, too."""
import os
import subprocess
import sys

from e2e import SKIPPED, Failed, check, main

INTERFACE = ("__tsan_", "__sanitizer_", "Annotate", "WTFAnnotate", "RunningOnValgrind", "ValgrindSlowdown", "ThreadSanitizerQuery")
NAMES = {"gcc": "libtsan.so", "clang": "libclang_rt.tsan-x86_64.so"}
FEWEST = 700  # fewer would mean that the list was not read


def said(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def exported(path):
    rows = (line.split() for line in said("nm", "-D", "--defined-only", path).splitlines())
    return {row[2].split("@")[0] for row in rows if len(row) == 3}


def library(compiler):
    for name in NAMES.values():
        path = said(compiler, f"-print-file-name={name}").strip()
        if os.path.isabs(path) and os.path.exists(path):
            return path
    return None


def test(runtime, *compilers):
    ours = exported(runtime)
    found = [path for path in map(library, filter(None, compilers)) if path]
    if not found:
        sys.exit(SKIPPED)
    for path in found:
        theirs = {name for name in exported(path) if name.startswith(INTERFACE)}
        check(len(theirs) >= FEWEST, f"{path}: only {len(theirs)} functions")
        if theirs - ours:
            raise Failed(f"{path} has, and the runtime has not: {' '.join(sorted(theirs - ours))}")


main(test)
