#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""file_sources.py BIN_DIR NAME CC CXX: tests of a project that writes files (a Debian source package, unchanged, built with
-fsanitize=thread) leave the user's files as they were, as root and as a user, where files of an earlier plain run lie already;
their verdict is the same with a private view and without one. $VTB_SOURCES is a directory with the packages unpacked:

    cd "$VTB_SOURCES" && apt-get source lmdb leveldb spdlog      # with a deb-src line in apt's sources

Skipped where it is not set or the package is not there. docs/tried.md has the figures."""
import glob
import json
import os
import shutil
import subprocess

from e2e import SKIPPED, Place, check, main
from file_view import USER, kinds, run, tree

TSAN = ["-g", "-O1", "-w", "-fsanitize=thread"]


def build(argv, cwd):
    return subprocess.Popen(argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def ended(builds):
    check(all([b.wait() == 0 for b in builds]), "it does not build")


def lmdb(source, place, cc, cxx):
    """Databases in ./testdb, mapped."""
    top = source + "/libraries/liblmdb"
    names = ("mtest", "mtest2", "mtest3")
    ended([build([cc, *TSAN, f"-I{top}", *(f"{top}/{f}.c" for f in (name, "mdb", "midl")), "-o", place.path(name), "-pthread"], place.dir) for name in names])
    return [[place.path(name)] for name in names]


def leveldb(source, place, cc, cxx):
    """The part that reads, writes, locks and logs files, with its background thread; files in $TEST_TMPDIR."""
    defines = ["-DLEVELDB_PLATFORM_POSIX=1", "-DHAVE_FDATASYNC=1", "-DHAVE_O_CLOEXEC=1", "-DHAVE_FULLFSYNC=0", "-DHAVE_CRC32C=0", "-DHAVE_SNAPPY=0"]
    parts = ["env", "env_posix", "status", "logging", "coding", "hash", "comparator", "testutil", "options"]
    parts = [f"{source}/util/{part}.cc" for part in parts]
    common = [cxx, *TSAN, "-std=c++17", *defines, f"-I{source}", f"-I{source}/include"]
    names = ("env_test", "env_posix_test")
    ended([build([*common, f"{source}/util/{name}.cc", *parts, "-o", place.path(name), "-lgtest", "-lgtest_main", "-lgmock", "-pthread"], place.dir) for name in names])
    cases = ("ReadWrite", "RunImmediately", "RunMany", "StartThread", "ReopenWritableFile", "ReopenAppendableFile")
    return [[place.path("env_test"), f"--gtest_filter=EnvTest.{case}"] for case in cases] + [[place.path("env_posix_test"), "--gtest_filter=*OpenOnRead"]]


def spdlog(source, place, cc, cxx):
    """Logs in ./test_logs, which each test removes first by `rm -rf`; two are written by a thread of their own."""
    parts = [f"{source}/tests/{part}.cpp" for part in ("main", "utils", "test_async", "test_file_logging")]
    ended([build([cxx, *TSAN, "-std=c++17", "-DSPDLOG_FMT_EXTERNAL", f"-I{source}/include", *parts, "-o", place.path("logs"), "-lfmt", "-pthread"], place.dir)])
    return [[place.path("logs"), case] for case in ("simple_file_logger", "rotating_file_logger1", "to_file", "to_file multi-workers")]


PROJECTS = {"lmdb": ("lmdb-*", lmdb), "leveldb": ("leveldb-*", leveldb), "spdlog": ("spdlog-*", spdlog)}


def prepare(place, kind):
    """Where an earlier, plain run of all tests has left its files."""
    top = place.path(kind)
    for name in ("in/testdb", "tmp"):
        os.makedirs(os.path.join(top, name))
    with open(os.path.join(top, "in", "notes"), "w", encoding="ascii") as f:
        f.write("the user's own\n")
    os.setxattr(os.path.join(top, "in", "notes"), "user.keep", b"this")
    os.link(os.path.join(top, "in", "notes"), os.path.join(top, "in", "second name"))
    for folder, _, files in os.walk(top):
        for path in [folder] + [os.path.join(folder, name) for name in files]:
            os.chmod(path, 0o755 if path == folder else 0o644)
            if kind == "user" and os.geteuid() == 0:
                os.chown(path, USER, USER)
    return top


def inside(top, argv):
    return ["env", "-C", os.path.join(top, "in"), f"TEST_TMPDIR={top}/tmp", f"TMPDIR={top}/tmp", *argv]


def hunt(place, kind, top, argv, *options):
    command = ["vtb", "hunt", "--json", "--no-canary", "--strategy=random", "--seed=1", "--budget=10", "--time=120", "-o", place.dir, *options, "--", *argv]
    code, out, err = run(place, kind, inside(top, command))
    try:
        return code, json.loads(out), f"{kind}, {argv} {options}: exit {code}\n{out[-3000:]}\n{err[-2000:]}"
    except ValueError:
        raise AssertionError(f"{kind}, {argv}: exit {code}\n{out}\n{err}") from None


def one(place, kind, argv):
    top = prepare(place, kind)
    code, out, err = run(place, kind, inside(top, argv))
    check(code == 0, f"{kind}: a plain run of {argv} ends with {code}: {out[-500:]} {err[-500:]}")
    before = tree(top)
    code, got, story = hunt(place, kind, top, argv)
    after = tree(top)
    other = [f"{name}: {before.get(name)} became {after.get(name)}" for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
    check(not other, f"{len(other)} differences: {other[:5]}\n{story}")
    check(code in (0, 3) and got["files"] in ("mounts", "user", "none"), f"an alarm, or no view\n{story}")  # 3: nothing is proved
    plain_code, plain, plain_story = hunt(place, kind, top, argv, "--keep-files")
    check((plain_code, plain["verdict"]) == (code, got["verdict"]), f"with the view {code} {got['verdict']}\n{plain_story}")
    shutil.rmtree(top)
    return len(before), got["schedules"], got.get("files")


def test(bin_dir, name, cc, cxx):
    pattern, prepare_programs = PROJECTS[name]
    found = [path for path in sorted(glob.glob(os.path.join(os.environ.get("VTB_SOURCES", "/nonexistent"), pattern))) if os.path.isdir(path)]
    if not found:
        print(f"skipped: there is no {pattern} in $VTB_SOURCES")
        return SKIPPED
    with Place(bin_dir) as place:
        os.chmod(place.dir, 0o777)
        programs = prepare_programs(os.path.abspath(found[0]), place, cc, cxx)
        for argv in programs:
            for kind in kinds(["root", "user"], bin_dir):
                files, schedules, view = one(place, kind, argv)
                print(f"{os.path.basename(argv[0])} {' '.join(argv[1:])}, {kind}: {schedules} schedules, view {view}, {files} names: as before", flush=True)
        place.none_left()
    print(f"{name}: {len(programs)} tests: as before")
    return 0


main(test)
