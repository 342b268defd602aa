# SPDX-License-Identifier: GPL-2.0-or-later
"""No circle of calls of more than 8 files in the runtime: strongly connected files by the functions that their objects define and ask for."""
import json
import os
import re
import subprocess

from tree import Finding

FILES = 8
FUNCTIONS = "TtWwi"


def objects(build):
    """Those that the build makes now: what an older one has left behind may call anything."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        made = {re.search(r" -o (\S+)", row["command"]).group(1) for row in json.load(f)}
    for path in sorted(made):
        full = os.path.join(build, path)
        if re.match(r"runtime/(.*/)?vtb_rt(_\w+)?\.dir/", path.replace("CMakeFiles/", "")) and os.path.exists(full):
            yield full


def symbols(paths):
    """Of each: functions that it defines, names that it asks for."""
    of = {path: (set(), set()) for path in paths}
    for line in subprocess.run(["nm", "-P", "-A", *paths], capture_output=True, text=True, check=True).stdout.splitlines():
        path, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        defined, wanted = of[path]
        if kind == "U":
            wanted.add(name)
        elif kind in FUNCTIONS and kind != "t":
            defined.add(name)
    return of


def components(graph):
    """Tarjan's strongly connected components, without recursion."""
    index, low, stack, done = {}, {}, [], []
    for root in graph:
        work = [(root, iter(()))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                rest = iter(sorted(graph[node]))
                work[-1] = (node, rest)
            for other in rest:
                if other not in index:
                    work.append((other, iter(())))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    done.append(stack[at:])
                    del stack[at:]
    return done


def source(path):
    return os.path.join("runtime", path.split(".dir" + os.sep, 1)[1].removesuffix(".o"))


def check(tree):
    if not tree.build or not os.path.isdir(tree.build):
        return
    there = [path for path in objects(tree.build) if os.path.exists(source(path))]  # not of files that are gone
    known = {source(path): found for path, found in symbols(there).items()}
    home = {name: path for path, (defined, _) in known.items() for name in defined}
    graph = {path: {home[name] for name in wanted if name in home} for path, (_, wanted) in known.items()}
    if len(known) < 20:
        yield Finding("circles objects", 1, "runtime", 1, f"only {len(known)} objects in {tree.build}: build vtb_rt first")
    for n, circle in enumerate(sorted((c for c in components(graph) if len(c) > FILES), key=len, reverse=True)):
        yield Finding(f"circles {n}", len(circle), sorted(circle)[0], 1, f"{len(circle)} files call each other in a circle, at most {FILES}: {' '.join(sorted(circle))}")
