# SPDX-License-Identifier: GPL-2.0-or-later
"""One adapter a foreign library: one file includes its header, and no public header does."""
import os

from tree import STAGES, Finding, includes

# Beginning of a header's name, and the one file that may include it.
ADAPTERS = {
    "capstone/": "common/disasm/src/capstone_x86.h",
    "ccadical.h": "synth/explain/src/sat.c",
    "igraph": "hbgraph/src/graph/graph_igraph.c",
    "intel-pt.h": "decode/pt/src/pt_flow_image.h",
    "jansson.h": "common/util/src/json.c",
    "xxhash.h": "common/util/src/hash.c",
    "elfutils/": "decode/names/src/symbols_private.h",
    "dwarf.h": "decode/names/src/symbols_private.h",
    "gelf.h": "common/elf/src/elf_file.c",
    "libelf.h": "common/elf/src/elf_file.c",
    "zstd.h": "common/util/src/files/zip.c",
}


def check(tree):
    met = set()
    for path in tree.code(STAGES):
        for number, name, angle in includes(tree, path):
            prefix = next((p for p in ADAPTERS if name.startswith(p)), None)
            if not angle or not prefix:
                continue
            met.add((prefix, path))
            if os.path.join("include", "vtb") in path:
                yield Finding(f"foreign public {path}", 1, path, number, f"a public header includes <{name}>: keep its types in the adapter")
            elif path != ADAPTERS[prefix]:
                yield Finding(f"foreign {prefix}", 1, path, number, f"<{name}> is for {ADAPTERS[prefix] or 'one adapter'} alone: ask there for what is needed")
    for prefix, path in ADAPTERS.items():
        if path and (prefix, path) not in met:
            yield Finding(f"foreign gone {prefix}", 1, path, 1, f"does not include <{prefix}...>: name the adapter in tests/structure/foreign.py, or take the row out")
