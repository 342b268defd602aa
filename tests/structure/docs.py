#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs.py SOURCE_DIR: what is cited exists. Bibliography keys such as PCT10 in brackets in code and documents are those of docs/bibliography.md, and each of
those is cited; cited sections of docs/algorithms.md and cited decisions are there; files named anywhere, and relative links and paths in Markdown, are there."""
import os
import re
import sys

KEY = re.compile(r"\[([A-Z]{2,}[0-9]{2})\]")
SECTION = re.compile(r'docs/algorithms\.md, "([^"]+)"')
DECISION = re.compile(r"\bdecisions? (\d{1,4})\b|docs/decisions/(\d{4})\b")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`([\w.+-]+/[\w./+-]*[\w+])`")
FILE = r"(?<![\w/.-])((?:%s)/[\w./-]*\w\.(?:c|h|cc|def|py|sh|md|txt|cmake))\b"
# As C comments go on after a line break: " * ", "// ", "# ".
BREAK = re.compile(r"\s*\n[ \t]*(?:\*(?!/)|//|#)?[ \t]*")

wrong = []


def files():
    found = []
    for where, dirs, names in os.walk("."):
        dirs[:] = sorted(d for d in dirs if d not in (".git", "build", "LICENSES", "__pycache__"))
        found += [os.path.normpath(os.path.join(where, name)) for name in sorted(names)]
    return found


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def headings(path):
    return re.findall(r"^#+ (.*?)\s*$", read(path), re.M)


def anchor(heading):
    """The name that a heading has as a link's target."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def check_keys(texts):
    listed = set(re.findall(r"^\| \[(\w+)\]", read("docs/bibliography.md"), re.M))
    cited = {}
    for path, text in texts.items():
        for key in KEY.findall(text):
            cited.setdefault(key, path)
    wrong.extend(f"{path}: [{key}] is not in docs/bibliography.md" for key, path in sorted(cited.items()) if key not in listed)
    wrong.extend(f"docs/bibliography.md: nothing cites [{key}]" for key in sorted(listed - set(cited)))


def check_sections(texts):
    there = set(headings("docs/algorithms.md"))
    for path, text in texts.items():
        wrong.extend(f'{path}: docs/algorithms.md has no section "{name}"' for name in SECTION.findall(text) if name not in there)


def check_decisions(texts):
    there = {int(name[:4]) for name in os.listdir("docs/decisions") if re.match(r"\d{4}-", name)}
    for path, text in texts.items():
        numbers = {int(a or b) for a, b in DECISION.findall(text)}
        wrong.extend(f"{path}: there is no decision {n}" for n in sorted(numbers - there))


def check_links(path, text):
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, part = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(to):
            wrong.append(f"{path}: the link {target} leads nowhere")
        elif part and part not in {anchor(h) for h in headings(to)}:
            wrong.append(f"{path}: {to} has no heading #{part}")


def check_paths(path, text, tops):
    """Files named in Markdown, from the root or from where the document lies. A capital word stands for what the reader chooses."""
    for name in PATH.findall(text):
        if name.split("/")[0] not in tops or re.search(r"(?<![A-Za-z])(?!README)[A-Z]{2,}", name):
            continue
        if not os.path.exists(name) and not os.path.exists(os.path.join(os.path.dirname(path), name)):
            wrong.append(f"{path}: there is no {name}")


def check_files(path, text, tops):
    """Files named anywhere, by where they lie from the root or from the document; a word in capitals stands for many."""
    for name in sorted(set(re.findall(FILE % "|".join(tops), text))):
        if not re.search(r"[A-Z]{3,}", name) and not os.path.exists(name) and not os.path.exists(os.path.join(os.path.dirname(path), name)):
            wrong.append(f"{path}: there is no {name}")


def check_title(path):
    """A manual page begins with its licence, which rendering leaves out, and its title (cmake/VtbManual.cmake)."""
    lines = read(path).splitlines()
    name, section, _ = os.path.basename(path).upper().rsplit(".", 2)
    kind = {"1": "User Commands", "7": "Tutorial"}.get(section)
    if "SPDX" not in lines[0] or lines[1] != f"% {name}({section}) vtb | {kind}":
        wrong.append(f"{path}: does not begin with a licence and the title of {name}({section})")


def main(source):
    os.chdir(source)
    paths = [p for p in files() if p.endswith((".c", ".h", ".cc", ".def", ".md", ".py")) or p.startswith("script/")]
    texts = {path: BREAK.sub(" ", read(path)) for path in paths}
    check_keys({path: text for path, text in texts.items() if path != "docs/bibliography.md"})
    check_sections(texts)
    check_decisions(texts)
    tops = {name for name in os.listdir() if os.path.isdir(name) and not name.startswith(".") and name != "build"}
    for path in paths:
        if not path.startswith(("tests/golden/", "tests/fuzz/corpus/")):
            check_files(path, read(path), tops)
        if path.startswith("docs/man/"):
            check_title(path)
        if path.endswith(".md"):
            check_links(path, read(path))
        if path.endswith(".md") and not path.startswith("docs/decisions/"):  # decisions tell what was, too
            check_paths(path, read(path), tops)
    if not texts or not tops:
        wrong.append(f"{source}: no files of the project")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
