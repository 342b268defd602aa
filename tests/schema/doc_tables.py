#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables in docs/format that follow from headers: doc_tables.py [--update] SOURCE_DIR CC

A table stands between the lines <!-- table NAME --> and <!-- end -->. Without --update, says which ones are out of date (exit 1).
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def rows(definitions, macro):
    """Arguments of each row of an X-macro file."""
    whole = re.sub(r'"\s*\n\s*"', "", definitions)  # a text in several lines
    for row in re.findall("^" + macro + r"\((.*?)\)$", whole, re.M | re.S):
        yield [a.strip() for a in re.findall(r'"[^"]*"|[^,"]+', row) if a.strip()]


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in lines])


def events(include, _):
    names = {"READS": "reads", "WRITES": "writes", "ACQUIRE": "acquires", "RELEASE": "releases", "VISIBLE": "", "BLOCKS": "may wait"}
    out = []
    for _symbol, number, name, family, flags, text in rows((include / "events.def").read_text(), "VTB_EVENT"):
        words = re.findall(r"VTB_EV_(\w+)", flags)
        does = ", ".join(names[w] for w in words if names[w])
        out.append((number, "`%s`" % name.strip('"'), family.lower(), "yes" if "VISIBLE" in words else "", does, text.strip('"')))
    return table(("number", "kind", "family", "visible", "does", "meaning"), out)


def verdicts(include, _):
    out = [("`%s`" % name.strip('"'), code, text.strip('"')) for _s, _n, name, code, text in rows((include / "verdicts.def").read_text(), "VTB_VERDICT")]
    return table(("verdict", "exit code", "meaning"), out)


def members(body):
    """Name and comment of each member of a C struct."""
    for line in body.split("\n"):
        m = re.match(r"(?:struct )?\w+ ([^;]+);\s*(?:/\*\s*(.*?)\s*(?:\*/)?)?$", line.strip())
        for name in m.group(1).split(",") if m else ():
            yield re.sub(r"\[.*", "", name.strip()), (m.group(2) or "").replace("|", "or")


def wire_text(include):
    return "".join((include / name).read_text() for name in ("wire.h", "wire_slot.h"))


def wire(include, cc):
    """Sizes and offsets as the compiler lays them out."""
    structs = re.findall(r"struct (vtb_\w+) \{\n(.*?)\n\};", wire_text(include), re.S)
    code = '#include <stddef.h>\n#include <stdio.h>\n#include "vtb/wire.h"\nint main(void)\n{\n'
    for name, body in structs:
        code += 'printf("%%zu\\n", sizeof(struct %s));\n' % name
        for member, _ in members(body):
            code += 'printf("%%zu %%zu\\n", offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));\n' % (name, member, name, member)
    with tempfile.TemporaryDirectory() as tmp:
        source = pathlib.Path(tmp, "offsets.c")
        source.write_text(code + "}\n")
        subprocess.check_call([cc, "-I", str(include.parent), "-o", tmp + "/offsets", str(source)])
        numbers = iter(subprocess.check_output([tmp + "/offsets"], text=True).splitlines())
    parts = []
    for name, body in structs:
        title = "### struct %s, %s bytes\n\n" % (name, next(numbers))
        parts.append(title + table(("offset", "bytes", "member", "meaning"), [(*next(numbers).split(), "`%s`" % m, text) for m, text in members(body)]))
    return "\n\n".join(parts)


def constants(include, _):
    """Enumerators of wire.h with their values and comments; those of an unnamed enum are bits or small numbers."""
    out = []
    text = wire_text(include)
    for name, body in re.findall(r"^enum ?(\w*) \{(.*?)\};", text, re.S | re.M):
        value = -1
        for item, given, shift, comment in re.findall(r"(VTB_\w+)(?: = (\d+)(?: << (\d+))?)?,?[ \t]*(?:/\*\s*(.*?)\s*\*/)?", body, re.S):
            value = int(given) << int(shift or 0) if given else value + 1
            out.append((name or " ", "`%s`" % item, str(value), re.sub(r"\s*\n[\s*]*", " ", comment).replace("|", "or")))
    return table(("enumeration", "name", "value", "meaning"), out)


def main(argv):
    update = argv[0] == "--update"
    source, cc = argv[-2:]
    include = pathlib.Path(source, "common/include/vtb")
    made = {"constants": constants, "events": events, "verdicts": verdicts, "wire": wire}
    old = seen = 0
    for page in sorted(pathlib.Path(source, "docs/format").glob("*.md")):
        text = page.read_text()

        def fill(match):
            return "<!-- table %s -->\n%s\n<!-- end -->" % (match.group(1), made[match.group(1)](include, cc))

        new, n = re.subn(r"<!-- table (\w+) -->\n.*?<!-- end -->", fill, text, flags=re.S)
        seen += n
        if new != text and update:
            page.write_text(new)
        elif new != text:
            old += 1
            print("%s: tables are out of date; run %s --update %s %s" % (page, sys.argv[0], source, cc))
    return 1 if old or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
