#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""completions.py BIN_DIR OUT_DIR: what shells complete after `vtb`, from what the commands themselves say in --help: so each option that exists is
offered, and no other. Writes OUT_DIR/{vtb.bash,_vtb,vtb.fish}."""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^ {1,6}(?:(-\w)(?:, *\S+)?, +)?(--[a-z][a-z0-9+-]*)(\[?=\S+)?(?:\s\s+(.*))?$")


def said(bin_dir, *argv):
    return subprocess.run([os.path.join(bin_dir, argv[0]), *argv[1:]], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def commands(bin_dir):
    """{name: help} as `vtb help` lists them."""
    return dict(re.findall(r"^  (\S+) {2,}(.+)$", said(bin_dir, "vtb", "help").split("Usage", 1)[1].split("main job", 1)[1], re.M))


def options(bin_dir, command):
    """[(letter or None, option, takes an argument, help)]"""
    found = []
    for line in said(bin_dir, "vtb-" + command, "--help").splitlines():
        m = OPTION.match(line)
        if m:
            found.append((m[1], m[2], bool(m[3]), m[4] or ""))
        elif found and re.match(r"^ {20,}\S", line):
            letter, name, arg, text = found[-1]
            found[-1] = (letter, name, arg, (text + " " + line.strip()).strip())
    return found


def sentence(text):
    """Short, and without what shells take for their own."""
    return re.sub(r"[][:`$\"\\']", "", text.split(": ")[0])[:70]


def bash(table):
    lines = ["# bash completion for vtb", "_vtb() {", "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words i",
             "\tfor ((i = 2; i < COMP_CWORD; i++)); do",
             '\t\tif [ "${COMP_WORDS[i]}" = -- ]; then', "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))", "\t\t\treturn", "\t\tfi", "\tdone",
             "\tif [ \"$COMP_CWORD\" = 1 ]; then", f"\t\tCOMPREPLY=($(compgen -W '{' '.join(table)} help' -- \"$cur\"))", "\t\treturn", "\tfi", "\tcase ${COMP_WORDS[1]} in"]
    for name, (_, rows) in table.items():
        lines.append(f"\t{name}) words='{' '.join(row[1] + ('=' if row[2] else '') for row in rows)}' ;;")
    lines += [f"\thelp) words='{' '.join(table)}' ;;", "\tesac", "\tif [[ $cur == -* || ${COMP_WORDS[1]} == help ]]; then", "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))",
              "\t\t[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace", "\telse", "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))", "\tfi", "}", "complete -o filenames -F _vtb vtb", ""]
    return "\n".join(lines)


def zsh(table):
    lines = ["#compdef vtb", "_vtb() {", "\tlocal -a commands", "\tcommands=("]
    lines += [f"\t\t'{name}:{sentence(text)}'" for name, (text, _) in table.items()]
    lines += ["\t)", "\tif ((CURRENT == 2)); then", "\t\t_describe command commands", "\t\treturn", "\tfi", "\tcase ${words[2]} in"]
    for name, (_, rows) in table.items():
        specs = " ".join(f"'{option}{'=' if arg else ''}[{sentence(text)}]{':value:_files' if arg else ''}'" for _, option, arg, text in rows)
        lines.append(f"\t{name}) shift words; ((CURRENT--)); _arguments -S {specs} '*:file:_files' ;;")
    return "\n".join(lines + ["\tesac", "}", '_vtb "$@"', ""])


def fish(table):
    lines = ["# fish completion for vtb", "complete -c vtb -f -n __fish_use_subcommand -a help -d 'what a command does'"]
    for name, (text, rows) in table.items():
        lines.append(f"complete -c vtb -f -n __fish_use_subcommand -a '{name}' -d '{sentence(text)}'")
        for letter, option, arg, text in rows:
            short = f" -s {letter[1]}" if letter else ""
            lines.append(f"complete -c vtb -n '__fish_seen_subcommand_from {name}' -l {option[2:]}{short}{' -r' if arg else ''} -d '{sentence(text)}'")
    return "\n".join(lines + [""])


def main(bin_dir, out):
    table = {name: (text, options(bin_dir, name)) for name, text in commands(bin_dir).items()}
    os.makedirs(out, exist_ok=True)
    for name, make in (("vtb.bash", bash), ("_vtb", zsh), ("vtb.fish", fish)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(make(table))


main(*sys.argv[1:])
