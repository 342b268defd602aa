#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rows.py SOURCE_DIR: no model is left without a pair that must miss it. Each struct vtb_primitive that waits or has an effect stands in
rows.txt with a pair, and each row of the table that people see (primitives.def) stands in table.txt with pairs of its own."""
import os
import re
import sys

wrong = []


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def lines(*path):
    return [line for line in read(*path).splitlines() if line and not line.startswith("#")]


def main(source):
    here, runtime = os.path.join(source, "tests", "primitives"), os.path.join(source, "runtime")
    pairs = {name for name in os.listdir(here) if os.path.isdir(os.path.join(here, name))}
    models = {}
    for where, _, names in sorted(os.walk(runtime)):
        for name in sorted(n for n in names if n.endswith(".c")):
            for row, ready, perform in re.findall(r'const struct vtb_primitive \w+ = \{\s*"([^"]+)",\s*(\w+),\s*(\w+),', read(where, name)):
                models[row] = ready != "NULL" or perform != "NULL"
    if len(models) < 40:
        wrong.append(f"only {len(models)} models found: their rows are written otherwise now")
    rows = {}
    for line in lines(here, "rows.txt"):
        row, _, pair = line.lstrip("!").partition(" = ")
        rows[row] = pair
        if row not in models:
            wrong.append(f"rows.txt: there is no model '{row}'")
        if pair not in pairs:
            wrong.append(f"rows.txt: '{row}': there is no pair '{pair}'")
    wrong.extend(f"rows.txt: the model '{row}' has no pair that must miss it" for row, works in models.items() if works and row not in rows)
    shown = re.findall(r'^VTB_PRIMITIVE\("([^"]+)"', read(runtime, "models", "primitives.def"), re.M)
    table = dict(line.split(" = ") for line in lines(here, "table.txt"))
    wrong.extend(f"table.txt: the row '{row}' of primitives.def has no pair" for row in shown if not table.get(row, "").split())
    wrong.extend(f"table.txt: primitives.def has no row '{row}'" for row in table if row not in shown)
    named = {pair for listed in table.values() for pair in listed.split()}
    wrong.extend(f"table.txt: there is no pair '{pair}'" for pair in sorted(named - pairs))
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
