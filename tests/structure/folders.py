# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders of at most 25 source files; each source file of a stage is named in the README of its folder or of one above; no file name
twice in the stages."""
import fnmatch
import os
import re

from tree import STAGES, Finding

FILES = 25
# Each stage's command.
EVERYWHERE = {"main.c"}


def flat(tree):
    folders = {}
    for path in tree.code(STAGES + ["tests"], (".c", ".cc", ".h", ".def")):
        folders.setdefault(os.path.dirname(path), []).append(path)
    for folder, paths in folders.items():
        if len(paths) > FILES:
            yield Finding(f"flat {folder}", len(paths), folder, 1, f"{len(paths)} source files in one folder, at most {FILES}: give it rooms")


def readme_of(tree, path):
    """Those that may name it: of its folder and above, inside its stage."""
    folder, found = os.path.dirname(path), []
    while folder:
        if os.path.join(folder, "README.md") in tree.files:
            found.append(os.path.join(folder, "README.md"))
        folder = os.path.dirname(folder)
    return found


def names_in(text):
    """What stands in backquotes: names, `a_*.c`, `x.{c,h}`."""
    for quoted in re.findall(r"`([^`\n]+)`", text):
        for word in re.split(r"[\s,]+(?![^{]*\})", quoted):
            m = re.match(r"(.*)\{([^}]*)\}(.*)", word)
            for one in [m.group(1) + part.strip() + m.group(3) for part in m.group(2).split(",")] if m else [word]:
                yield os.path.basename(one)


def unnamed(tree):
    named = {}
    for path in tree.code(STAGES):
        readmes = readme_of(tree, path)
        for readme in readmes:
            named.setdefault(readme, set(names_in(tree.text(readme))))
        base = os.path.basename(path)
        if base in EVERYWHERE or any(fnmatch.fnmatch(base, pattern) for readme in readmes for pattern in named[readme]):
            continue
        where = readmes[0] if readmes else os.path.join(path.split(os.sep)[0], "README.md")
        yield Finding(f"unnamed {where}", 1, path, 1, f"is not named in {where}: say there what it is for")


def twice(tree):
    names = {}
    for path in tree.code(STAGES):
        if os.sep + "cmd" + os.sep in path:  # a command has the name of what it runs
            continue
        names.setdefault(os.path.basename(path), []).append(path)
    for name, paths in names.items():
        if len(paths) > 1 and name not in EVERYWHERE:
            yield Finding(f"twice {name}", len(paths), paths[1], 1, f"there is a {paths[0]} already: say in the name how it differs")


def check(tree):
    yield from flat(tree)
    yield from unnamed(tree)
    yield from twice(tree)
