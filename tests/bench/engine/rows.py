#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of the table from lines "round TAB name TAB target TAB ticks": of each name the median of its ratios to native in the same round.

usage: rows.py KERNEL TICKS_A_MICROSECOND
"""
import statistics
import sys

NATIVE = ("native", "native, 256")


def main(kernel, rate):
    rounds, order, targets = {}, [], {}
    for line in sys.stdin:
        number, name, target, ticks = line.rstrip("\n").split("\t")
        if name not in targets:
            order.append(name)
        targets[name] = target
        if ticks:
            rounds.setdefault(number, {})[name] = int(ticks)
    for name in order:
        if name in NATIVE:
            least = [r[name] / float(rate) for r in rounds.values() if name in r]
            print(f"{kernel}, {name} -O2\t{statistics.median(least):.1f}\tus a pass\t")
            continue
        base = "native, 256" if "record all" in name and "native, 256" in targets else "native"
        ratios = [r[name] / r[base] for r in rounds.values() if name in r and base in r]
        shown = f"{statistics.median(ratios):.2f}\ttimes native" if ratios else "not measured\t"
        print(f"{kernel}, {name}\t{shown}\t{targets[name]}")


main(*sys.argv[1:])
