#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""into_docs.py OUTPUT DOCUMENT: what script/bench papers printed (a file) becomes the tables of docs/papers.md.

The document has places <!-- NAME --> to <!-- end NAME -->: NAME is a part, "machine" or "summary". What stands between them is replaced; places of parts that
did not run stay as they are, and those that the document has not are an error."""
import re
import sys

MACHINE = re.compile(r'^(machine|kernel|compiler|commit|load) +(\S.*)$')
BEGIN = re.compile(r'^\[\w+\] .* \(script/bench papers (\w+)\)$')
END = re.compile(r'^(\w+): (\d+ rows, \d+ met, \d+ not met, \d+ s, load [\d.]+)$')


def aligned(rows):
    """A Markdown table; nothing is filled up behind the last column."""
    cells = [[cell.strip() for cell in row.strip().strip('|').split(' | ')] for row in rows]
    widths = [max(len(row[i]) for row in cells if i < len(row)) for i in range(len(cells[0]))]
    lines = []
    for number, row in enumerate(cells):
        row = ['-' * max(3, w) for w in widths[:-1]] + ['---'] if number == 1 else row
        lines.append('| ' + ' | '.join([cell.ljust(max(3, w)) for cell, w in zip(row[:-1], widths)] + [row[-1]]).rstrip() + ' |')
    return '\n'.join(lines)


def tables(lines):
    """The tables among the lines, and the other lines as they are."""
    found, rows = [], []
    for line in [*lines, '']:
        if line.startswith('|'):
            rows.append(line)
            continue
        if rows:
            found.append(aligned(rows))
            rows = []
        if line.strip():
            found.append(line)
    return '\n\n'.join(found)


def read(lines):
    """Text by place."""
    places = {'machine': ''.join(f'- {m[1]}: {m[2]}\n' for m in map(MACHINE.match, lines) if m)}
    name, held = None, []
    for line in lines:
        begins, ends = BEGIN.match(line), END.match(line)
        if begins:
            name, held = begins[1], []
        elif line == 'summary':
            name, held = 'summary', []
        elif ends and ends[1] == name:
            places[name] = f'{tables(held)}\n\n{ends[2]}\n'
            name = None
        else:
            held.append(line)
    if name == 'summary':
        words = [line for line in held if line and not line.startswith('|')]
        places['summary'] = tables([line for line in held if line.startswith('|')]) + '\n\n' + ''.join(f'- {w}\n' for w in words)
    return places


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        places = read([line.rstrip() for line in f])
    with open(sys.argv[2], encoding='utf-8') as f:
        text = f.read()
    for name, filling in places.items():
        text, n = re.subn(rf'(<!-- {name} -->\n).*?(<!-- end {name} -->\n)', lambda m, x=filling: f'{m[1]}\n{x}\n{m[2]}', text, flags=re.S)
        if n != 1:
            sys.exit(f'{sys.argv[2]} has {n} places "{name}"')
    with open(sys.argv[2], 'w', encoding='utf-8') as f:
        f.write(text)
    print(f'{len(places)} places filled: {" ".join(places)}')


if __name__ == '__main__':
    main()
