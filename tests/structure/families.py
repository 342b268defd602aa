#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""families.py SOURCE_DIR: a family of primitives stands wherever one must, as CONTRIBUTING says ("Add a primitive"); what is missing is named. What does
not compile or link without it is not looked at here; pairs of programs are rows.py's."""
import os
import re
import sys

wrong = []


def read(*path):
    with open(os.path.join(root, *path), encoding="utf-8") as f:
        return f.read()


def families():
    """Of each family that synchronises: its kinds of events."""
    found = {}
    for kind, family, flags in re.findall(r'^VTB_EVENT\((\w+),\s*\d+,\s*"[^"]+",\s*(\w+), ([^"]*),', read("common/include/vtb/events.def"), re.M):
        found.setdefault(family, []).append((kind, flags))
    return {f: [k for k, _ in rows] for f, rows in found.items() if any("ACQUIRE" in flags or "RELEASE" in flags for _, flags in rows)}


# The outside world decides about these: no trace tells what would have come in another order.
NOT_SIMULATED = {"IO", "SIGNAL"}


def check_family(family, kinds):
    if not re.search(rf'^VTB_PRIMITIVE\("[^"]+", {family},', read("runtime/models/primitives.def"), re.M):
        wrong.append(f"runtime/models/primitives.def: no row of the family {family}: what is modelled of it?")
    places = ["common/src/events/event_words.c", "synth/explain/src/core_literals.c", "synth/explain/src/core_pairs.c"] + ([] if family in NOT_SIMULATED else ["synth/simulate/src/sync_model.c"])
    for place in places:
        text = read(place)
        if not re.search(rf"\bVTB_FAMILY_{family}\b", text) and not any(re.search(rf"\b(VTB_E_)?{kind}\b", text) for kind in kinds):
            wrong.append(f"{place}: nothing about the family {family} ({', '.join(kinds)})")


def check_model(name):
    for place in ("runtime/CMakeLists.txt", "runtime/models/README.md"):
        if name not in read(place):
            wrong.append(f"{place}: does not name runtime/models/{name}")
    rows = re.findall(r'const struct vtb_primitive \w+ = \{\s*"([^"]+)"', read("runtime/models", name))
    if not rows:
        wrong.append(f"runtime/models/{name}: no struct vtb_primitive is in it")


def check_calls():
    """Each control function has a wrapper, and is defined."""
    code = "".join(read(where, name) for where in ROOMS for name in os.listdir(os.path.join(root, where)) if name.endswith(".c"))
    hooks = "".join(read(where, name) for where, _, names in os.walk(os.path.join(root, "runtime/hooks")) for name in names if name.endswith(".c"))
    for table, macro in (("interpose.def", "VTB_SYNC"), ("control.def", "VTB_CONTROL")):
        for name in re.findall(rf"^{macro}\([^,]+, (\w+),", read("runtime/models", table), re.M):
            if not re.search(rf"\bvtb_ctl_{name}\(", code):
                wrong.append(f"runtime/models/{table}: {name}: no vtb_ctl_{name}() is in runtime/models")
            if table == "control.def" and not re.search(rf"\bvtb_ctl_{name}\b", hooks):
                wrong.append(f"runtime/models/{table}: {name}: nobody in runtime/hooks calls vtb_ctl_{name}()")


def check_names():
    """Each kind of event may stand in a file."""
    schema = read("data/schema/names.schema.json")
    for name in re.findall(r'^VTB_EVENT\(\w+,\s*\d+,\s*"([^"]+)"', read("common/include/vtb/events.def"), re.M):
        if f'"{name}"' not in schema:
            wrong.append(f"data/schema/names.schema.json: the kind of event {name} is not in its list")


ROOMS = ["runtime/sched", "runtime/models", "runtime/kernel", "runtime/engines"]
root = sys.argv[1]
known = families()
if len(known) < 8:
    wrong.append(f"only {len(known)} families found in events.def: its rows are written otherwise now")
for one in sorted(known):
    check_family(one, known[one])
for model in sorted(os.listdir(os.path.join(root, "runtime/models"))):
    if model.startswith("prim_") and model.endswith(".c"):
        check_model(model)
check_calls()
check_names()
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(1 if wrong else 0)
