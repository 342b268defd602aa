#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""openmp_names.py LIBRARY DEF GCC: libvtb-omp.so has the functions that it is said to have, no others, and none that libgomp does
not have, which the loader would take it for."""
import re
import subprocess
import sys

SKIPPED = 77


def functions(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines() if line.split()[-2] in "TiW"}


def main(library, table, gcc):
    if not gcc:
        print("skipped: there is no gcc")
        return SKIPPED
    with open(table) as f:
        said = re.findall(r"^VTB_OPENMP\((\w+)\)", f.read(), re.M)
    ours = {name for name in functions(library) if not name.startswith("_")}
    libgomp = subprocess.run([gcc, "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout.strip()
    if "/" not in libgomp:
        print("skipped: there is no libgomp.so.1")
        return SKIPPED
    bad = [("said and not there", set(said) - ours), ("there and not said", ours - set(said)), ("not of libgomp's", ours - functions(libgomp))]
    for what, names in bad:
        if names:
            print(f"{what}: {' '.join(sorted(names))}")
    if said != sorted(said):
        print("the table is not sorted")
    return 1 if any(names for _, names in bad) or said != sorted(said) else 0


sys.exit(main(*sys.argv[1:]))
