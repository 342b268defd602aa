#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""starter_files.py BIN_DIR PROGRAM: what a starter changes before it starts PROGRAM (which fails unless it finds it) is what
every run finds, and the user's files are as before: as root, as a user, and without namespaces, where it is said that they
are not. A starter that makes the program is refused."""
import os
import shutil
import tempfile

from e2e import check, main, need, Place
from file_view import USER, kinds, run, tree
import json


def prepare(place, kind):
    top = place.path(kind)
    shutil.rmtree(top, ignore_errors=True)
    os.makedirs(os.path.join(top, "old"))
    for name in ("log", "gone", "old/file"):
        with open(os.path.join(top, name), "w", encoding="ascii") as f:
            f.write("first\n")
    os.link(os.path.join(top, "gone"), os.path.join(top, "other name"))
    if kind == "user" and os.geteuid() == 0:
        for folder, folders, files in os.walk(top):
            for path in [folder] + [os.path.join(folder, name) for name in files]:
                os.chown(path, USER, USER)
    return top


def hunt(place, kind, top, command, *options):
    code, out, err = run(place, kind, ["vtb", "hunt", "--json", "--no-canary", "-o", place.dir, "--strategy=random", "--seed=1", "--budget=20",
                                       "--time=300", *options, "--", "sh", "-c", f"cd '{top}' && {command}"])
    try:
        return code, json.loads(out), f"{kind}: exit {code}\n{out}\n{err}"
    except ValueError:
        return code, {}, f"{kind}: exit {code}\n{out}\n{err}"


def changes(program):
    return ("echo second >> log; rm gone; mv old/file old/there; chmod 600 old/there; mkdir new; printf ready > new/made; cd new; "
            f"'{program}' ../log; true")


def private(place, kind, program):
    top = prepare(place, kind)
    before = tree(top)
    code, got, story = hunt(place, kind, top, changes(program))
    check(tree(top) == before, f"files have changed: {tree(top)} was {before}\n{story}")
    check(code == 0 and "runs found so and nobody else" in got["statement"], f"not a correct program\n{story}")
    code, got, story = hunt(place, kind, top, f"'{program}' log; true")
    check(code == 1 and "found so" not in got["statement"], f"a starter that changes nothing\n{story}")
    code, got, story = hunt(place, kind, top, f"cp '{program}' mine; printf ready > made; echo second >> log; ./mine log; true")
    check(code == 2 and "makes this program" in story, f"a starter that makes the program\n{story}")
    check(tree(top) == before, f"files have changed\n{story}")


def elsewhere(place, kind, program):
    """Directories that processes are not likely to write to: the view gets them, one after the other; or what nothing can have is said."""
    top = prepare(place, kind)
    others = [tempfile.mkdtemp(prefix="vtb-starter.", dir="/opt") for _ in range(2)]
    try:
        for i, other in enumerate(others):
            os.chmod(other, 0o755)
            with open(os.path.join(other, "settings"), "w", encoding="ascii") as f:
                f.write("first\n")
            for path in (other, os.path.join(other, "settings")):
                os.chown(path, USER if kind == "user" else 0, -1)
        before = tree(top), [tree(other) for other in others]
        command = " && ".join(f"echo second >> {other}/settings && mkdir {other}/new" for other in others)
        code, got, story = hunt(place, kind, top, f"set -e; {command}; {changes(program)}")
        check((tree(top), [tree(other) for other in others]) == before, f"files have changed\n{story}")
        check(code == 0 and "runs found so and nobody else" in got["statement"], f"a starter that writes elsewhere\n{story}")
        os.mkdir(place.path(kind + ".scratch"))
        if kind == "user":
            os.chown(place.path(kind + ".scratch"), USER, USER)
        code, got, story = hunt(place, kind, top, f"set -e; {command}; {changes(program)}", f"--scratch={place.path(kind + '.scratch')}")
        check(code == 2 and "which --scratch cannot" in story, f"with --scratch\n{story}")
        code, got, story = hunt(place, kind, top, f"'{program}' log; true", f"--scratch={place.path(kind + '.scratch')}")
        check(code == 1 and not os.listdir(place.path(kind + '.scratch')), f"with --scratch, a starter that changes nothing\n{story}")
        check((tree(top), [tree(other) for other in others]) == before and not os.listdir(place.path(kind + ".scratch")), f"with --scratch\n{story}")
    finally:
        for other in others:
            shutil.rmtree(other)


def nowhere(place, program):
    """The root directory itself."""
    top = prepare(place, "nowhere")
    code, _, story = hunt(place, "root", top, f"set -e; echo x > /vtb-starter; '{program}' log")
    check(code == 2 and "/vtb-starter before it starts the program" in story and not os.path.exists("/vtb-starter"), story)


def through(place, program):
    top = prepare(place, "refused")
    code, got, story = hunt(place, "refused", top, changes(program))
    check("without a private view of files: what it changed in them is changed" in got["statement"], f"it is not said\n{story}")
    with open(os.path.join(top, "log"), encoding="ascii") as f:
        check(f.read().startswith("first\nsecond\n"), f"the starter was not run\n{story}")


def kept(place, program):
    top = prepare(place, "kept")
    code, got, story = hunt(place, "root", top, changes(program), "--keep-files")
    check("what it changed in them is changed" in got["statement"], f"--keep-files\n{story}")
    check(os.path.exists(os.path.join(top, "new", "made")), f"--keep-files\n{story}")


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        os.chmod(place.dir, 0o777)
        shutil.copy2(program, place.path("started"))
        tried = kinds(["root", "user"], bin_dir)
        for kind in tried:
            private(place, kind, place.path("started"))
            if os.geteuid() == 0:
                elsewhere(place, kind, place.path("started"))
        if os.geteuid() == 0:
            nowhere(place, place.path("started"))
        through(place, place.path("started"))
        kept(place, place.path("started"))
        place.none_left()
    print(f"starters' files: {', '.join(tried)} as before; refused: said")


main(test)
