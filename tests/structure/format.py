#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""format.py SOURCE_DIR: what can be read without scrolling and looks alike: no line of more than 500 characters, no blank at the end of one, one style
of the braces of initialisers in a file ({ 1, 2 } or {1, 2}), a function's brace on a line of its own and any other at the end of the line that it
belongs to."""
import os
import re
import subprocess
import sys

WIDTH = 500
SUFFIXES = (".c", ".h", ".cc", ".def")
LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
INITIALISER = re.compile(r"(?:(?<=[=,({])[ \t]*|(?<=\)))\{([ \t]*)[^\s{}\\]")


def code_of(text):
    """Literals become x, comments blanks; lines stay."""
    return LITERAL.sub(lambda m: re.sub(r"[^\n]", " " if m.group().startswith("/") else "x", m.group()), text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def styles(code):
    """First line of each style of initialiser: {1} and { 1 }."""
    found = {}
    for m in INITIALISER.finditer(code):
        found.setdefault("{ 1 }" if m.group(1) else "{1}", line_of(code, m.start()))
    return found


def misplaced(code):
    """Lines with a brace that belongs to another place."""
    own = re.compile(r"^[a-z_][\w \t*]*\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\) \{$", re.M)  # a function's
    end = re.compile(r"^\t+(?:if|for|while|switch|else|do)\b[^;{}\n]*\n\t+\{$", re.M)
    return [line_of(code, m.end()) for pattern in (own, end) for m in pattern.finditer(code)]


def check(name, text):
    wrong = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH:
            wrong.append(f"{name}:{number}: {len(line)} characters")
        if line != line.rstrip():
            wrong.append(f"{name}:{number}: blanks at the end")
    if name.endswith(".def"):
        return wrong
    code = code_of(text)
    found = styles(code)
    if len(found) > 1:
        wrong.append(f"{name}: initialisers look like " + " and ".join(f"{style} (line {line})" for style, line in sorted(found.items())))
    return wrong + [f"{name}:{line}: the brace belongs elsewhere" for line in misplaced(code)]


def main(source):
    names = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True).stdout.split("\n")
    names = [n for n in names if n.endswith(SUFFIXES) and os.path.exists(os.path.join(source, n))]
    if not names:
        print("no list of files: not a git checkout")
        return 77
    wrong = []
    for name in names:
        with open(os.path.join(source, name), encoding="utf-8") as f:
            wrong += check(name, f.read())
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
