# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of at most 400 lines, commands of at most 150, lines of at most 120 columns in code and 499 anywhere; nothing left unfinished."""
import os
import re

from tree import STAGES, Finding

FILE_LINES = 400
COMMAND_LINES = 150
COLUMNS = 120
LONGEST = 499
TEXT = (".c", ".cc", ".h", ".def", ".py", ".sh", ".cmake", ".md", "CMakeLists.txt")
UNFINISHED = re.compile(r"\b(TO" + "DO|FIX" + r"ME|XX" + r"X)\b")


def lengths(tree):
    for path in tree.code(STAGES + ["tests"], (".c", ".cc", ".h")):
        lines = tree.text(path).count("\n")
        command = os.sep + "cmd" + os.sep in path
        most = COMMAND_LINES if command else FILE_LINES
        if lines > most:
            how = "its logic belongs into the library" if command else "split it by what it does"
            yield Finding(f"lines {path}", lines, path, most + 1, f"{lines} lines, at most {most}: {how}")


def folder_of(path):
    """A room, or a folder of tests: where wide lines are counted together."""
    return os.sep.join(path.split(os.sep)[:2]) if path.count(os.sep) > 1 else path.split(os.sep)[0]


def widths(tree):
    for path in tree.files:
        if not path.endswith(TEXT) or path.startswith(("data" + os.sep, os.path.join("tests", "golden"))):
            continue
        code = path.endswith((".c", ".cc", ".h", ".def"))
        for number, line in tree.lines(path):
            if len(line) > LONGEST:
                yield Finding(f"longest {path}", 1, path, number, f"a line of {len(line)} characters, at most {LONGEST}: break it")
            elif code and len(line) > COLUMNS:
                yield Finding(f"width {folder_of(path)}", 1, path, number, f"{len(line)} columns, at most {COLUMNS}: break the line")


def unfinished(tree):
    for path in tree.code(STAGES + ["tests", "script", "cmake"], (".c", ".h", ".py", ".sh", ".cmake")):
        for number, line in tree.lines(path):
            if UNFINISHED.search(line):
                yield Finding(f"unfinished {path}", 1, path, number, "unfinished business is left in a comment: finish it, or write an issue")


def check(tree):
    yield from lengths(tree)
    yield from widths(tree)
    yield from unfinished(tree)
