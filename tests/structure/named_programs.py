#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""named_programs.py SOURCE_DIR: nothing is made for a known program. No string in the code of the tools and the runtime names one of the programs that
they are measured with: those of data/*/<name>, of tests/e2e/cores and of tests/bench/papers, nor their variables and functions: names of several words, or with digits, that our own code does not use itself."""
import os
import re
import sys

CODE = ['common', 'record', 'runtime', 'decode', 'hbgraph', 'synth', 'replay', 'viz', 'triage']
MEASURED = ['data/corpus', 'data/five', 'data/table1', 'data/fair', 'tests/bench/papers/programs', 'tests/e2e/cores']
ANYBODYS = {'read_write'}  # __tsan_read_write4
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
INCLUDE = re.compile(r'^\s*#\s*include[^\n]*', re.M)
DEFINED = re.compile(r'^static [^(){}=;\n]*?\b(\w+)(?:\[[^\n]*)? ?(?:\(|=|;)', re.M)
IDENTIFIER = re.compile(r'\b[a-z][a-z0-9]*_[a-z0-9_]+\b')  # of two words or more: one word may be anybody's


def sources(folder, ends):
    for where, dirs, names in os.walk(folder):
        dirs[:] = sorted(d for d in dirs if d not in ('build', '__pycache__'))
        yield from (os.path.join(where, name) for name in sorted(names) if name.endswith(ends))


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


def strings(text):
    """Strings of C code with their lines, comments and names of headers left out."""
    blank = lambda m: re.sub(r'[^\n]', ' ', m[0])
    text = INCLUDE.sub(blank, COMMENT.sub(lambda m: blank(m) if not m[0].startswith('//') or m.string[m.start() - 1:m.start()] != ':' else m[0], text))
    for m in STRING.finditer(text):
        yield text.count('\n', 0, m.start()) + 1, m[1]


def programs():
    found = set()
    for folder in MEASURED:
        for path in sources(folder, ('.c', '.cc')):
            stem, parent = os.path.splitext(os.path.basename(path))[0], os.path.basename(os.path.dirname(path))
            found.add(parent if stem in ('prog', 'correct', 'broken') else stem)
    return found


def ours():
    """Identifiers of the code of the tools."""
    found = set()
    for folder in CODE:
        for path in sources(folder, ('.c', '.h', '.cc')):
            found |= set(IDENTIFIER.findall(STRING.sub('', COMMENT.sub('', read(path)))))
    return found


def defined():
    """Functions and variables that the programs define."""
    found = set()
    for folder in MEASURED:
        for path in sources(folder, ('.c', '.cc')):
            found |= {name for name in DEFINED.findall(read(path)) if IDENTIFIER.fullmatch(name)}
    return found


def main():
    os.chdir(sys.argv[1])
    names = {name for name in programs() | defined() if IDENTIFIER.fullmatch(name) or any(c.isdigit() for c in name)} - ours() - ANYBODYS
    wrong, seen = [], 0
    for folder in CODE:
        for path in sources(folder, ('.c', '.h', '.cc', '.def')):
            for line, text in strings(read(path)):
                seen += 1
                hit = next((w for w in re.findall(r'\w+', text) if w in names), None)
                if hit:
                    wrong.append(f'{path}:{line}: "{text}" names {hit}, which is part of a program that we are measured with')
    print('\n'.join(wrong))
    print(f'{len(names)} names, {seen} strings')
    sys.exit(bool(wrong) or seen < 1000 or len(names) < 100)


if __name__ == '__main__':
    main()
