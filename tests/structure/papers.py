#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""papers.py SOURCE_DIR: docs/papers.md has a section for each paper that script/bench papers measures, names each of its parts there, and has a place for its
tables, which tests/bench/papers/into_docs.py fills."""
import os
import re
import subprocess
import sys
import tempfile

HEAD, FOOT = 'machine   a machine\ncommit    abc\n', '\nsummary\n\n| part | met | |\n| --- | --- | --- |\n| all | 1 | |\n'
PART = """
[X] a title (script/bench papers {part})

| a | b | |
| --- | --- | --- |
| {part} of this run | 1 | met |

{part}: 1 rows, 1 met, 0 not met, 2 s, load 0.1
"""


def filled(parts, document, place):
    """The document with the tables of a run."""
    output, copy = os.path.join(place, 'output'), os.path.join(place, 'papers.md')
    with open(output, 'w', encoding='utf-8') as f:
        f.write(HEAD + ''.join(PART.format(part=part) for part in parts) + FOOT)
    with open(copy, 'w', encoding='utf-8') as f:
        f.write(document)
    done = subprocess.run([sys.executable, 'tests/bench/papers/into_docs.py', output, copy], capture_output=True, text=True)
    with open(copy, encoding='utf-8') as f:
        return f.read() if done.returncode == 0 else done.stderr


def check_filling(parts, document):
    """Every part's tables come into the document, once, however often they are put there."""
    with tempfile.TemporaryDirectory() as place:
        once = filled(parts, document, place)
        twice = filled(parts, once, place)
    wrong = [f'into_docs.py does not put the tables of "{part}" into docs/papers.md' for part in parts if once.count(f'| {part} of this run | 1') != 1]
    if '- commit: abc' not in once or once != twice:
        wrong.append(f'into_docs.py does not fill docs/papers.md: {once[-300:]}')
    return wrong


def main():
    os.chdir(sys.argv[1])
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE='1')
    listed = subprocess.run([sys.executable, 'tests/bench/papers/papers.py', '.', '--list'], capture_output=True, text=True, check=True, env=environment).stdout
    parts = re.findall(r'^(\S+) +\[(\w+)\]', listed, re.M)
    with open('docs/papers.md', encoding='utf-8') as f:
        sections = dict(re.findall(r'^## \[(\w+)\](.*?)(?=^## |\Z)', f.read(), re.M | re.S))
    wrong = [f'docs/papers.md: section [{paper}] does not name the part "{name}"' for name, paper in parts if f'`{name}`' not in sections.get(paper, '')]
    wrong += [f'docs/papers.md: no part of script/bench papers measures [{paper}]' for paper in sections if paper not in [p for _, p in parts]]
    with open('docs/papers.md', encoding='utf-8') as f:
        wrong += check_filling([part for part, _ in parts], f.read())
    print('\n'.join(wrong))
    sys.exit(bool(wrong) or len(sections) != 5)


if __name__ == '__main__':
    main()
