# SPDX-License-Identifier: GPL-2.0-or-later
"""No function of the tools that nobody calls: its name stands somewhere besides its definition and its prototype. Static ones
are the compiler's business; functions of the runtime are called by programs under test."""
import collections
import re

from tree import STAGES, Finding

DEFINITION = re.compile(r"^(?!static\b|extern\b|typedef\b|#)[a-z][\w \t*]*?[ *](\w+)\((?!.*;)", re.M)
# By the C library, by the loader of plugins.
CALLED_FROM_OUTSIDE = {"main", "qemu_plugin_install"}


def check(tree):
    code = tree.code(STAGES + ["tests"], (".c", ".cc", ".h", ".def"))
    in_code, in_headers = collections.Counter(), collections.Counter()
    for path in code:
        counted = in_headers if path.endswith(".h") else in_code
        counted.update(re.findall(r"\w+", tree.text(path)))
    for path in code:
        if not path.endswith(".c") or path.split("/")[0] in ("tests", "runtime"):
            continue
        for m in DEFINITION.finditer(tree.text(path)):
            name = m.group(1)
            if name not in CALLED_FROM_OUTSIDE and in_code[name] == 1 and in_headers[name] <= 1:
                yield Finding(f"unused {path}", 1, path, tree.text(path).count("\n", 0, m.start()) + 1, f"nobody calls {name}(): take it out")
