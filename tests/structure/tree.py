# SPDX-License-Identifier: GPL-2.0-or-later
"""What the checks of script/structure share: the files of the tree, its libraries, findings, and exceptions that may only shrink."""
import collections
import os
import re

STAGES = ["common", "runtime", "record", "decode", "hbgraph", "synth", "replay", "viz", "triage"]
CODE = (".c", ".cc", ".h", ".def")
LEFT_OUT = {".git", "build", "LICENSES", "__pycache__"}

# One violation. Those of one key are added up, and exceptions.txt may allow that sum.
Finding = collections.namedtuple("Finding", "key amount path line text")
Library = collections.namedtuple("Library", "name folder uses line room")


class Tree:
    def __init__(self, build):
        self.build = build
        self.files = []
        for where, dirs, names in os.walk("."):
            dirs[:] = sorted(d for d in dirs if d not in LEFT_OUT)
            self.files += [os.path.normpath(os.path.join(where, name)) for name in sorted(names)]
        self.texts = {}

    def text(self, path):
        if path not in self.texts:
            with open(path, encoding="utf-8", errors="replace") as f:
                self.texts[path] = f.read()
        return self.texts[path]

    def lines(self, path):
        return enumerate(self.text(path).splitlines(), 1)

    def code(self, tops, suffixes=CODE):
        return [path for path in self.files if path.split(os.sep)[0] in tops and path.endswith(suffixes)]

    def libraries(self):
        """Each vtb_library() or vtb_runtime_room() row by name. The headers of a room of the runtime lie beside its files."""
        found = {}
        for path in self.files:
            if os.path.basename(path) != "CMakeLists.txt":
                continue
            text = self.text(path)
            for row in re.finditer(r"^[ \t]*vtb_(library|runtime_room)\((\w+)(.*?)\)", text, re.S | re.M):
                used = re.search(r"\bUSES\b([\w\s]*)", row.group(3))
                uses = used.group(1).split("PACKAGES")[0].split() if used else []
                for more in re.findall(r"target_link_libraries\(vtb_" + row.group(2) + r"\b(.*?)\)", text, re.S):  # where a part may be left out
                    uses += re.findall(r"\bvtb::(\w+)", more)
                name, room = row.group(2), row.group(1) == "runtime_room"
                folder = os.path.join(os.path.dirname(path), name) if room and os.path.basename(os.path.dirname(path)) != name else os.path.dirname(path)
                found[name] = Library(name, folder, uses, text.count("\n", 0, row.start()) + 1, room)
        return found


def includes(tree, path):
    """(line, name, whether in angle brackets) of each header that a file includes."""
    for number, line in tree.lines(path):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
        if m:
            yield number, m.group(2), m.group(1) == "<"


def exceptions(path):
    allowed = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                key, amount = line.rsplit(maxsplit=1)
                allowed[key] = int(amount)
    return allowed
