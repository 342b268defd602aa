#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manual.py BIN_DIR SOURCE_DIR: every command has a manual page, docs/man/<command>.1.md, and both name the same options. What vtb-synth offers
for the search, vtb-hunt offers too. Pages list options in alphabetical order."""
import glob
import os
import re
import subprocess
import sys

COMMON = {"--help", "--usage", "--version"}
# `vtb cc` passes everything on to the compiler; `vtb-cc` and `vtb-c++` are one program.
PAGE_OF = {"vtb-c++": "vtb-cc"}
OF_SYNTH_ALONE = {"--top", "--why"}  # not of the search
INTERNAL = {"vtb-canary"}  # a program that hunt tries itself on


def options(text):
    return set(re.findall(r"(?<![\w-])(--[a-z](?:[a-z0-9-]*[a-z0-9])?)", text)) - COMMON


def help_options(text):
    """Options as argp prints them: at the beginning of a line, before their explanation."""
    found = set()
    for line in text.splitlines():
        m = re.match(r"\s+(?:-\w(?:, *\S+)?, +)?(--[a-z][a-z0-9-]*)", line) or re.match(r"\s+-\w, (--[a-z][a-z0-9-]*)", line)
        if m:
            found.add(m.group(1))
    return found - COMMON


def page_options(text):
    """Options in a page: a definition `**\\--name**`, `**-x**, **--name**=...` at the beginning of a line."""
    found = set()
    for line in text.splitlines():
        if re.match(r"(\*\*|`)-", line):
            found |= options(line.replace("\\-", "-"))
    return found - COMMON


def out_of_order(text):
    """Long names of the section OPTIONS that stand before one that comes first in the alphabet."""
    section = re.search(r"^# OPTIONS$(.*?)(?=^# |\Z)", text, re.M | re.S)
    names = re.findall(r"^(?:\*\*|`)-.*?--([a-z0-9-]*[a-z0-9])", section.group(1).replace("\\-", "-"), re.M) if section else []
    return [f"--{a} comes before --{b}" for a, b in zip(names, names[1:]) if a > b]


def main(bin_dir, source):
    wrong, offers = [], {}
    commands = sorted(os.path.basename(p) for p in glob.glob(os.path.join(bin_dir, "vtb*")) if os.access(p, os.X_OK) and os.path.isfile(p) and os.path.basename(p) not in INTERNAL)
    if not commands:
        wrong.append(f"no commands in {bin_dir}")
    for command in commands:
        page = os.path.join(source, "docs/man", PAGE_OF.get(command, command) + ".1.md")
        if not os.path.exists(page):
            wrong.append(f"{command}: there is no {os.path.relpath(page, source)}")
            continue
        shown = subprocess.run([os.path.join(bin_dir, command), "--help"], capture_output=True, text=True, timeout=20, env=dict(os.environ, ARGP_HELP_FMT="rmargin=200"))
        if shown.returncode != 0:
            wrong.append(f"{command} --help: exit code {shown.returncode}")
            continue
        with open(page, encoding="utf-8") as f:
            text = f.read()
        described = page_options(text)
        wrong += [f"{os.path.relpath(page, source)}: {pair}: options are listed alphabetically" for pair in out_of_order(text)]
        offered = help_options(shown.stdout)
        wrong += [f"{command}: {option} is not in its manual page" for option in sorted(offered - described)]
        wrong += [f"{command}: the manual page describes {option}, which it does not know" for option in sorted(described - offered)]
        offers[command] = offered
    missing = offers.get("vtb-synth", set()) - offers.get("vtb-hunt", set()) - OF_SYNTH_ALONE
    wrong += [f"vtb-hunt: {option} of vtb-synth is missing" for option in sorted(missing)]
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
