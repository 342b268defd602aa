#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""files.py BIN_DIR PROGRAM: every run meets the same files, and a hunt leaves them as they were, on each engine; with --keep-files it
does not. So it is, too, where only the first run shows that a directory is written to (/var/tmp). PROGRAM fails if it meets what it has left behind."""
import os
import shutil
import stat
import tempfile

from e2e import Place, check, main, need


def tree(top):
    """Name -> what it is, with which mode, and what is in it."""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            what = os.readlink(path) if stat.S_ISLNK(st.st_mode) else open(path, "rb").read() if stat.S_ISREG(st.st_mode) else b""
            found[os.path.relpath(path, top)] = (stat.filemode(st.st_mode), what)
    return found


def prepare(top):
    os.makedirs(os.path.join(top, "in", "empty"))
    for name, text in (("log", "first line\n"), ("old", "old"), ("target", "overwritten"), ("gone", "gone" * 5000), ("short", "cut here"), ("mode", ""), ("cut", "stays, 9\n"), ("a", "a"), ("b", "b")):
        with open(os.path.join(top, "in", name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(os.path.join(top, "in", "gone"), 0o400)
    os.symlink("nowhere", os.path.join(top, "in", "link"))
    os.mkfifo(os.path.join(top, "in", "pipe"))


def hunt(place, options, *command):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--strategy=random", "--seed=1", "--budget=20", "--time=300", *options, "--", *command, timeout=150)
    return ran, ran.json()


def same_after(place, engine, program, top):
    prepare(top)
    before = tree(top)
    ran, got = hunt(place, [f"--engine={engine}"], program, os.path.join(top, "in"))
    check(got["verdict"] == "none", f"engine {engine}, {top}: a run met what another had left: {got['verdict']}", ran)
    check("files that an earlier run" not in got["statement"], f"engine {engine}, {top}: something was not undone", ran)
    after = tree(top)
    for name in sorted(before.keys() | after.keys()):
        check(before.get(name) == after.get(name), f"engine {engine}, {top}: {name}: {before.get(name)} became {after.get(name)}", ran)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for engine in ("auto", "exec"):
            same_after(place, engine, program, place.path(engine))
            elsewhere = tempfile.mkdtemp(prefix="vtb-files-", dir="/var/tmp")
            try:
                same_after(place, engine, program, os.path.join(elsewhere, engine))
            finally:
                shutil.rmtree(elsewhere)
        ran, got = hunt(place, ["--keep-files"], program, place.path("exec", "in"), "here alone")
        check(got["verdict"] == "exit", f"--keep-files: {got['verdict']}", ran)
        place.none_left()


main(test)
