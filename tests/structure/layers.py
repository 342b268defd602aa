# SPDX-License-Identifier: GPL-2.0-or-later
"""A library uses what lies before it and nothing else: rows name no library behind them, a file includes only headers of its own
library and public ones of those that its row names (of a room of the runtime: its contract, one header), and a row names no library whose headers nobody includes."""
import os

from tree import STAGES, Finding, includes

# A library that is only a name for others: who names it may use those.
TOGETHER = {"synth": ["simulate", "strategies", "search"]}
# Every stage's files are written on top of these: a row need not include what it names.
ALWAYS = {"common"}

# Of a room of the runtime the header that others include: the one with its name, but <sched.h> is libc's.
CONTRACTS = {"sched": "scheduler.h"}


def stage(library):
    return STAGES.index(library.folder.split(os.sep)[0])


def closure(libraries, name, seen=None):
    """The library and all that it may use, those of those too: USES is passed on."""
    seen = set() if seen is None else seen
    for one in TOGETHER.get(name, [name]):
        if one not in seen:
            seen.add(one)
            for used in libraries[one].uses if one in libraries else []:
                closure(libraries, used, seen)
    return seen


def rows(libraries):
    known = set(libraries) | set(TOGETHER)
    for library in libraries.values():
        where = os.path.join(library.folder, "CMakeLists.txt")
        for used in library.uses:
            if used not in known:
                yield Finding(f"layers {library.name} {used}", 1, where, library.line, f"{library.name} uses {used}, which is no library: name one")
                continue
            for one in TOGETHER.get(used, [used]):
                if stage(libraries[one]) > stage(library):
                    yield Finding(f"layers {library.name} {used}", 1, where, library.line, f"{library.name} uses {one}, which is downstream of it: move what both need upstream")
                elif library.name in closure(libraries, one):
                    yield Finding(f"layers {library.name} {used}", 1, where, library.line, f"{library.name} and {one} use each other: take one of the two arrows out")


def contract(library):
    return os.path.join(library.folder, CONTRACTS.get(library.name, library.name + ".h"))


def is_public(library, header):
    """Of a room of the runtime: its contract, and tables."""
    if not library.room:
        return header.startswith(os.path.join(library.folder, "include", ""))
    return header == contract(library) or header.endswith(".def")


def homes(tree, libraries):
    """Of each header the library that it lies in, by the longest folder."""
    folders = sorted(libraries.values(), key=lambda library: -len(library.folder))
    for path in tree.code(STAGES):
        for library in folders:
            parts = [""] if library.room else ["src", "include"]
            if path.startswith(tuple(os.path.join(library.folder, part, "") for part in parts)):
                yield path, library
                break


def check(tree):
    libraries = tree.libraries()
    yield from rows(libraries)
    for library in libraries.values():
        if library.room and contract(library) not in tree.files and any(library.name in other.uses for other in libraries.values()):
            yield Finding(f"layers {library.name} contract", 1, os.path.join(library.folder, "README.md"), 1, f"others use {library.name}, and there is no {contract(library)}: a room has one header for them")
    home = dict(homes(tree, libraries))
    by_name = {}
    for path in home:
        if path.endswith((".h", ".def")):
            by_name.setdefault(os.path.basename(path), []).append(path)
    used = {name: set() for name in libraries}
    for path, library in home.items():
        may = closure(libraries, library.name)
        for number, name, foreign in includes(tree, path):
            found = [h for h in by_name.get(os.path.basename(name), []) if h.endswith(os.sep + name)]
            if foreign or not found:
                continue
            owners = {home[h].name for h in found}
            used[library.name] |= owners
            public = {home[h].name for h in found if is_public(home[h], h)}
            if library.name in owners or public & may or path.endswith("_thread.h"):  # plain data: parts.py
                continue
            owner = sorted(owners)[0]
            how = "add it to USES if it may" if owner in public else f"it is private to {owner}"
            yield Finding(f"layers {library.name} {owner}", 1, path, number, f'"{name}" is of {owner}, which {library.name} does not use: {how}')
    for library in libraries.values():
        for name in library.uses:
            reached = set().union(*(closure(libraries, one) for one in TOGETHER.get(name, [name])))
            if name not in ALWAYS and not reached & used[library.name]:
                yield Finding(f"layers {library.name} unused {name}", 1, os.path.join(library.folder, "CMakeLists.txt"), library.line, f"no file of {library.name} includes a header of {name}: take it out of USES")
