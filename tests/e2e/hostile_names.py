#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_names.py BIN_DIR PROGRAM DOCUMENTS: names and outputs that steer terminals, close elements, forge commands of a
CI runner or look like options, in the places of a trace, a failure and a schedules file, through every command and format.
In each document the list begins at another name; DOCUMENTS: how many (all: every name stands in every place, and in every command line)."""
import html.parser
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

from e2e import Place, check, main, need

NAMES = [
    "\x1b[31mred\x1b]0;title\x07",
    "\u009b31mred \u009d0;title\u009c",
    "\u202edlrow\u2066 \u2069 \u200f",
    "line\n::error file=a.c,line=1::forged\r\n##[error]forged",
    "::error::forged",
    "\ufffe \uffff \ufdd0 \U0010ffff",
    "&#1; &#x1b; &amp; &bogus; &",
    "]]></stackTrace><![CDATA[",
    "--> <!-- -->",
    "<script>alert(1)</script>",
    "</svg><img src=x onerror=alert(1)>",
    "\" onload=\"alert(1)\" x='",
    "'; rm -rf / #`id`$(id)",
    "back\\slash\\N\\G\\\\ \\",
    "x" * 20000,
    "ns::list<" * 5000,
    "\u00e9\u4e16" * 10000,
    "\\" * 20000,
    "& " * 10000,
    "",
    " ",
    "%s%n%1000000d%*c",
    "--output=/etc/passwd",
    "-rf",
    "|a|b|\n---|---\n[x](javascript:alert(1))",
    "\x7f\b\b\b\t\v\f",
    "../../../etc/passwd",
    "}; evil [label=<<B>x</B>>]; {",
    "\n", "a\n\n::error::forged", "<B>", "</FONT></B>", "\u2028line\u2029", "a\u0301" * 300,
]
VIZ = ["text", "github", "dot", "svg", "html", "markdown", "perfetto", "sarif", "junit"]
NEEDS_RUN = {"github", "perfetto", "sarif", "junit"}  # refused for a schedule that has not run
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufffe\uffff\ufff9-\ufffb]")


class Names:
    """One name after another, from `first` on."""

    def __init__(self, names, first):
        self.names, self.at = names, first

    def __call__(self):
        self.at += 1
        return self.names[(self.at - 1) % len(self.names)]


def site(name, i):
    return {"module": 0, "offset": hex(0x1000 + 16 * i), "function": name(), "file": name(), "line": 10 + i, "function_line": 10, "text": name(), "instruction": name()}


def event(thread, kind, var, at, **more):
    return dict({"thread": thread, "kind": kind, "var": var, "site": at}, **more)


def events():
    """Two threads take two locks in opposite orders and race on two variables; one of them fails."""
    memory = {"size": 4, "value": 1}
    return [
        event("0.0", "lock", 2, 0), event("0.0", "lock", 3, 1), event("0.0", "read", 0, 2, addr="0x1000", **memory),
        event("0.0", "unlock", 3, 3), event("0.0", "unlock", 2, 4),
        event("0.1", "lock", 3, 5), event("0.1", "lock", 2, 6), event("0.1", "unlock", 2, 7), event("0.1", "unlock", 3, 7),
        event("0.1", "write", 0, 5, addr="0x1000", **memory), event("0.1", "write", 1, 6, addr="0x2000", **memory),
        event("0.0", "write", 0, 3, addr="0x1000", **memory), event("0.0", "write", 1, 4, addr="0x2000", **memory),
        {"thread": "0.0", "kind": "fail", "verdict": "assertion"},
    ]


def tables(name):
    memory = [{"kind": "global", "name": name(), "type": name(), "key": hex(0x51c2 + i), "size": 4} for i in range(2)]
    locks = [{"kind": "sync", "name": name(), "type": name(), "key": hex(0x61c2 + i), "size": 40} for i in range(2)]
    return {
        "modules": [{"path": name(), "build_id": "8d0c51"}],
        "sites": [site(name, i) for i in range(8)],
        "threads": [{"path": "0", "start": name()}, {"path": "0.0", "start": name()}, {"path": "0.1", "start": name()}],
        "objects": memory + locks,
        "variables": [{"name": name(), "type": name(), "object": i, "size": 4} for i in range(4)],
    }


def trace(name):
    outcome = {"verdict": "assertion", "exit_status": 134, "signal": 6, "thread": "0.0", "site": 2, "var": 0, "message": name(), "signature": name()}
    program = {"argv": [name() for _ in range(3)], "cwd": name(), "backend": "control"}
    return dict({"format": "vtb-trace", "version": 1, "program": program, "order": "total", "outcome": outcome}, **tables(name), events=events())


def operation(name, thread, index, at):
    return {"thread": thread, "index": index, "kind": "read", "function": name(), "line_in_function": 2, "variable": name(), "occurrence": 1, "site": at, "file": name(), "line": 3}


def schedules(name):
    deviation = {"after": operation(name, "0.0", 3, 2), "kind": "switch", "target": "0.1", "var": 0, "cost": 1}
    first = {"note": name(), "tuple": {"l": 0, "c": 1, "v": 1, "t": 2}, "policy": "run-to-block", "ranks": ["0.0", "0.1"], "deviations": [deviation],
             "constraints": [{"before": operation(name, "0.0", 3, 2), "after": operation(name, "0.1", 3, 5)}]}
    program = {"argv": [name() for _ in range(3)], "cwd": name()}
    return dict({"format": "vtb-schedules", "version": 1, "program": program}, **tables(name), schedules=[first])


def failure(name):
    plan = schedules(name)
    run = trace(name)
    run["outcome"]["verdict"] = "memory"
    end = lambda thread, at: {"thread": thread, "op": at, "kind": "read", "variable": name(), "function": name(), "file": name(), "line": at}
    repair = {"kind": "one-step", "text": name(), "schedules": 7}
    cores = [{"literals": [{"before": end("0.0", 1), "after": end("0.1", 2), "merged": 1} for _ in range(2)], "class": "atomicity-violation", "lock": "none", "exhausted": True,
              "smallest": True, "failing": 2, "variants": 1, "repairs": [repair], "rejected": 1} for _ in range(2)]
    explained = {"runs": 9, "passing": 3, "failing": 2, "orders": 4, "exhausted": True, "all": True}
    found = {"schedules": 9, "classes": 3, "diverged": 0, "msec": 100, "replays": 3, "minimal": True, "predicted": False, "mixed": False, "unsettled": False, "test": name()}
    heap = {part: {"thread": "0.0", "sites": [i, i + 1]} for i, part in enumerate(("allocated", "freed", "used"))}
    return {"format": "vtb-failure", "version": 1, "verdict": "memory", "signature": name(), "tuple": {"c": 1, "v": 1, "t": 2}, "confirmed": 3, "replay_command": name(), "statement": name(),
            "options": {"tier": "tsan", "engine": "forkserver", "carrier": "threads", "seed": 0}, "files": [name()], "heap": heap, "cores": cores, "explained": explained, "found": found, "variants": [name(), name()],
            "output": {"size": 10, "text": name()},
            "last_switch": {"left": {"thread": "0.0", "sites": [0, 1]}, "entered": {"thread": "0.1", "sites": [2]}}, "schedule": plan, "trace": run}


KINDS = {"trace": trace, "failure": failure, "schedules": schedules}


class Shape(html.parser.HTMLParser):
    """The names of elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.names = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.names |= {tag} | {f"{tag} {name}" for name, _ in attrs}


def no_html(ran):
    """Markdown without its code, escaped characters and our own line breaks: nothing is left that makes an element or a link."""
    text = "\n".join(line for line in ran.out.split("\n") if not line.startswith("    "))
    text = re.sub(r"\\[^\n]|`[^`\n]*`", "", text).replace("<br>", " ")
    check(not re.search(r"[<`]|\]\(|&[#a-zA-Z]", text), f"Markdown that a name made: {text!r}", ran)


COMMAND = re.compile(r"::(error|notice) (file=([^%:,\n]|%(25|0A|3A|2C))*,line=\d+,)?title=([^%:,\n]|%(25|0A|3A|2C))*::([^%\n]|%(25|0A))*")


def github_commands(ran):
    """Commands of ours, and nothing else: one error and at most ten notices."""
    lines = ran.out.split("\n")
    check(lines.pop() == "" and all(COMMAND.fullmatch(line) for line in lines), f"a line that is no command of ours: {[l for l in lines if not COMMAND.fullmatch(l)]!r}", ran)
    errors = [line for line in lines if line.startswith("::error")]
    check(len(errors) == (1 if lines else 0) and len(lines) <= 11, "more commands than a step shows", ran)


def text_is_plain(ran, text, what, commands=False):
    found = HIDDEN.search(text)
    check(not found, f"{what} holds {found and ascii(found[0])}: {found and ascii(text[max(0, found.start() - 60):found.end() + 20])}", ran)
    for line in re.split("[\n\r]", text):
        check(commands or not line.strip().startswith("::"), f"{what} holds a line that a CI runner takes for a command: {line[:80]!r}", ran)


def plain_run(place, codes, *argv, commands=False):
    ran = place.run(*argv, expect=codes)
    try:
        ran.bytes.decode()
    except UnicodeDecodeError as e:
        check(False, f"the output is not UTF-8: {e}", ran)
    text_is_plain(ran, ran.err, "stderr")
    text_is_plain(ran, ran.out, "stdout", commands)
    return ran


def xml_parses(ran):
    try:
        return xml.etree.ElementTree.fromstring(ran.out)
    except xml.etree.ElementTree.ParseError as e:
        check(False, f"no XML: {e}: {ascii(ran.out.splitlines()[e.position[0] - 1][max(0, e.position[1] - 80):][:120])}", ran)


def dot_accepts(ran):
    drawn = subprocess.run(["dot", "-Tsvg"], input=ran.out.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    check(drawn.returncode == 0 and b"rror" not in drawn.stderr, f"dot says: {drawn.stderr[:300]!r}", ran)
    ran.out = drawn.stdout.decode()
    xml_parses(ran)


def element_names(ran):
    return {node.tag for node in xml_parses(ran).iter()} | {name for node in xml_parses(ran).iter() for name in node.attrib}


# What a format must be; the second is compared with that of a file with names of every day.
FORMS = {
    "text": (lambda ran: None, None), "markdown": (no_html, None),
    "json": (lambda ran: ran.json(), None), "perfetto": (lambda ran: ran.json(), None), "sarif": (lambda ran: ran.json(), None),
    "svg": (xml_parses, element_names), "junit": (xml_parses, element_names), "dot": (dot_accepts, None),
    "github": (github_commands, None),
    "html": (lambda ran: None, lambda ran: Shape(ran.out).names),
}


def commands(kind):
    """(form, expected exit codes, command line) of all that read such a file."""
    path = kind + ".json"
    for form in VIZ:
        yield form, {2} if kind == "schedules" and form in NEEDS_RUN else {0}, ["vtb-viz", "--" + form, path]
    if kind != "schedules":
        yield "text", {0}, ["vtb-hb", path]
        yield "text", {0}, ["vtb-hb", "--all", path]
        yield "json", {0}, ["vtb-hb", "--json", path]
        yield "dot", {0}, ["vtb-hb", "--dot", path]
        yield "text", {0}, ["vtb-synth", "-v", "-o", "/dev/null", path]
        yield "json", {0}, ["vtb-synth", "-o", "-", path]
    else:
        yield "text", {2}, ["vtb-synth", "-o", "/dev/null", path]
        yield "text", {2}, ["vtb-hb", path]
    if kind != "trace":
        yield "text", {2}, ["vtb-replay", path]
        yield "json", {2}, ["vtb-replay", "--json", path]


def run_all(place, kind, shapes=None):
    found = {}
    for form, codes, argv in commands(kind):
        ran = plain_run(place, codes, *argv, commands=form == "github")
        if ran.code:
            check(not ran.out or form == "json", "an output beside an error", ran)
            continue
        FORMS[form][0](ran)
        if FORMS[form][1]:
            found[form] = FORMS[form][1](ran)
            new = shapes and found[form] - shapes[kind][form]
            check(not new, f"elements or attributes made by a name: {new}", ran)
    return found


def write(place, kind, name):
    with open(place.path(kind + ".json"), "w") as f:
        json.dump(KINDS[kind](name), f)


def every_day(place):
    shapes = {}
    for kind in KINDS:
        write(place, kind, Names(["name%d" % i for i in range(len(NAMES))], 0))
        shapes[kind] = run_all(place, kind)
    return shapes


def hostile(place, shapes, first):
    for kind in KINDS:
        write(place, kind, Names(NAMES, first))
        run_all(place, kind, shapes)


def paths():
    """Names that a file can have, as bytes."""
    short = [name.replace("/", "_").encode() for name in NAMES if 0 < len(name.encode()) < 200]
    return short + [b"\xff\xfe\x1b[31m", b"\xc0\xaf\n::error::forged", b"\xe2\x80"]


def proposed(place, path):
    """A file of schedules with such a name, made and read."""
    plain_run(place, {0}, "vtb-synth", "-o", path, "trace.json")
    plain_run(place, {2}, "vtb-replay", path)


def named_files(place, every):
    """Files that are missing, wrong, and right; of what is done with them each name meets one of `every`."""
    with open(place.path("trace.json")) as f:
        good = f.read()

    def read(path, content, codes):
        with open(path, "w") as f:
            f.write(content)
        plain_run(place, codes, "vtb-hb", path)

    steps = [lambda path: plain_run(place, {2}, "vtb-viz", "--dot", path), lambda path: read(path, "{", {2}), lambda path: read(path, good, {0}),
             lambda path: proposed(place, path), lambda path: plain_run(place, {0}, "vtb-viz", "--junit", "-o", path, "trace.json")]
    for i, name in enumerate(paths()):
        path = os.path.join(place.dir.encode(), name)
        for step in steps[i % every::every]:
            step(path)
        if os.path.exists(path):
            os.unlink(path)


def named_options(place, every):
    """As options that nobody knows, and as values that are none: what argp and getopt say is plain, too. Each name meets one of `every`."""
    commands_of = [("vtb-" + command, "--x") for command in ("hunt", "record", "decode", "hb", "synth", "replay", "viz", "triage", "doctor")]
    commands_of += [("vtb-hunt", "--time="), ("vtb-hunt", "--engine=")]
    for i, name in enumerate(n for n in NAMES if 0 < len(n) < 200):
        for command, option in commands_of[i % every::every]:
            plain_run(place, {2} if option != "--x" else {2, 125}, command, option + name, *(["--", "true"] if option == "--engine=" else []))


def named_program(place, program):
    """A program with such a name is recorded and hunted; what the hunt writes is read."""
    name = place.path("\x1b[31m\n::error::\u009b\u202e<script>&#1;]]>'\"\\")
    shutil.copy(program, name)
    plain_run(place, {0, 134}, "vtb-record", "-o", "run.vtb", "--", name)
    plain_run(place, {0}, "vtb-decode", "run.vtb", "-o", "trace.json")
    plain_run(place, {1}, "vtb", "hunt", "--time=300", "--", name)
    run_all(place, "failure")
    run_all(place, "trace")
    plain_run(place, {1}, "vtb-replay", "--run", "failure.json")


def test(bin_dir, program, documents):
    need(program)
    with Place(bin_dir) as place:
        shapes = every_day(place)
        count = len(NAMES) if documents == "all" else int(documents)
        for i in range(count):
            hostile(place, shapes, i * len(NAMES) // count)
        every = 1 if documents == "all" else 3
        named_files(place, every)
        named_options(place, every)
        named_program(place, program)


main(test)
