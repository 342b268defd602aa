# SPDX-License-Identifier: GPL-2.0-or-later
"""What the parts share: tables as text, searches by bench-search, words for what came of them."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../search'))

from table1 import search  # noqa: E402, for the parts

__all__ = ['Table', 'search', 'driver', 'spread', 'verdict', 'why_none', 'ratio']
MET, MISSED = 'met', 'not met'
FIRST = 18  # columns of the first cell: most names are shorter


class Table:
    """Rows of cells under headings, as Markdown that is readable as it is: each row is printed when it is measured, so that what was cut off is not lost.

    A part prints one table after the other."""
    printed = []  # those of this part

    def __init__(self, *headings):
        self.headings, self.rows = headings, []
        self.widths = [max(FIRST if i == 0 else 3, len(h)) for i, h in enumerate(headings)]

    def add(self, *cells):
        assert len(cells) == len(self.headings)
        if not self.rows:
            Table.printed.append(self)
            print('\n' + self.line(self.headings) + '\n' + self.line(['-' * w for w in self.widths]))
        self.rows.append([str(cell) for cell in cells])
        print(self.line(self.rows[-1]), flush=True)

    def line(self, cells):
        self.widths = [max(w, len(cell)) for w, cell in zip(self.widths, cells)]
        return '| ' + ' | '.join(cell.ljust(w) for cell, w in zip(cells, self.widths)).rstrip() + ' |'

    def met(self):
        return sum(row[-1] == MET for row in self.rows)

    def missed(self):
        """What the rows say that are not met, each after the cells that name it."""
        return [f'{", ".join(cell for cell in row[:2] if cell)}: {row[-1]}' for row in self.rows if row[-1].startswith(MISSED)]


def driver(o):
    return os.path.join(o.build, 'tests/bench-search')


def spread(numbers):
    """Median and range of schedules; those of searches that found nothing are None."""
    found = [n for n in numbers if n is not None]
    if not found:
        return 'none found'
    missed = len(numbers) - len(found)
    least, most = min(found), max(found)
    text = f'{statistics.median(found):g}' + (f' ({least:g}..{most:g})' if least != most else '')
    return text + (f', not found {missed} of {len(numbers)}' if missed else '')


def why_none(got):
    """Why a search found nothing, from what it says of itself."""
    if not got:
        return 'it came to no end'
    words = {'time': f"time over after {got['schedules']} schedules", 'budget': f"none in {got['schedules']} schedules",
             'exhausted': f"nothing left to try after {got['schedules']} schedules"}
    dropped = int(got.get('dropped', 0))
    return words.get(got['end'], got['end']) + (f', {dropped} left out for want of memory' if dropped else '')


def verdict(is_met, why=''):
    """The last cell of a row: what is not met has a reason."""
    return MET if is_met else f'{MISSED}: {why}'


def ratio(x, y):
    return f'{x / y:.2f}' if y else 'none'
