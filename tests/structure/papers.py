#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""papers.py SOURCE_DIR: docs/papers.md has a section for each paper that script/bench papers measures, and names each of its parts there."""
import os
import re
import subprocess
import sys


def main():
    os.chdir(sys.argv[1])
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE='1')
    listed = subprocess.run([sys.executable, 'tests/bench/papers/papers.py', '.', '--list'], capture_output=True, text=True, check=True, env=environment).stdout
    parts = re.findall(r'^(\S+) +\[(\w+)\]', listed, re.M)
    with open('docs/papers.md', encoding='utf-8') as f:
        sections = dict(re.findall(r'^## \[(\w+)\](.*?)(?=^## |\Z)', f.read(), re.M | re.S))
    wrong = [f'docs/papers.md: section [{paper}] does not name the part "{name}"' for name, paper in parts if f'`{name}`' not in sections.get(paper, '')]
    wrong += [f'docs/papers.md: no part of script/bench papers measures [{paper}]' for paper in sections if paper not in [p for _, p in parts]]
    print('\n'.join(wrong))
    sys.exit(bool(wrong) or len(sections) != 5)


if __name__ == '__main__':
    main()
