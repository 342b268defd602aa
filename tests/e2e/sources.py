#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sources.py BIN_DIR NAME CC CXX SCHEDULES: a program of a Debian source package, unchanged, built with -fsanitize=thread, is clean under so
many random schedules, deadlines that pass and other chances included. $VTB_SOURCES is a directory in which the packages lie unpacked:

    cd "$VTB_SOURCES" && apt-get source pbzip2 libzstd libmicrohttpd      # with a deb-src line in apt's sources

Skipped where it is not set or the package is not there. docs/tried.md has what came of them."""
import glob
import os
import subprocess

from e2e import SKIPPED, Place, check, main

SECONDS = 2400
TSAN = ["-g", "-O1", "-fsanitize=thread"]


def run(argv, cwd):
    subprocess.run(argv, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pbzip2(source, place, cc, cxx, lines=1500, options=("-p3",)):
    large = ["-D_LARGEFILE64_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DUSE_STACKSIZE_CUSTOMIZATION", "-DPBZIP_NO_LOADAVG"]
    run([cxx, *TSAN, *large, *glob.glob(source + "/*.cpp"), "-o", place.path("prog"), "-lbz2", "-pthread"], place.path())
    with open(place.path("input"), "w") as f:
        f.writelines(f"{i}\n" for i in range(lines))
    return [place.path("prog"), *options, "-b1", "-c", "-k", place.path("input")]


def pbzip2_two(source, place, cc, cxx):
    """Two blocks for two threads."""
    return pbzip2(source, place, cc, cxx, 21000, ["-p2"])


def zstd_pool(source, place, cc, cxx):
    parts = [source + "/tests/poolTests.c", source + "/programs/util.c", source + "/programs/timefn.c"]
    parts += [file for part in ("common", "compress", "decompress") for file in glob.glob(f"{source}/lib/{part}/*.c")]
    folders = [f"-I{source}/{part}" for part in ("lib", "lib/common", "programs")]
    run([cc, *TSAN, "-DZSTD_MULTITHREAD", "-DZSTD_DISABLE_ASM", *folders, *parts, "-o", place.path("prog"), "-pthread"], place.path())
    return [place.path("prog")]


def microhttpd(source, place, cc, cxx, program="test_start_stop"):
    off = ["--disable-https", "--disable-doc", "--disable-examples", "--disable-curl", "--disable-shared"]
    run([source + "/configure", *off, f"CC={cc}", "CFLAGS=" + " ".join(TSAN), "LDFLAGS=-fsanitize=thread"], place.path())
    run(["make", "-C", place.path("src/microhttpd"), "libmicrohttpd.la", program], place.path())
    return [place.path("src/microhttpd", program)]


def microhttpd_upgrade(source, place, cc, cxx):
    """A server, and clients on loopback."""
    return microhttpd(source, place, cc, cxx, "test_upgrade")


PROGRAMS = {
    "pbzip2": ("pbzip2-*", pbzip2),
    "pbzip2_two": ("pbzip2-*", pbzip2_two),
    "zstd_pool": ("libzstd-*", zstd_pool),
    "microhttpd": ("libmicrohttpd-*", microhttpd),
    "microhttpd_upgrade": ("libmicrohttpd-*", microhttpd_upgrade),
}


def test(bin_dir, name, cc, cxx, schedules):
    pattern, build = PROGRAMS[name]
    found = [path for path in sorted(glob.glob(os.path.join(os.environ.get("VTB_SOURCES", "/nonexistent"), pattern))) if os.path.isdir(path)]
    if not found:
        print(f"skipped: there is no {pattern} in $VTB_SOURCES")
        return SKIPPED
    with Place(bin_dir) as place:
        argv = build(os.path.abspath(found[0]), place, cc, cxx)
        ran = place.run("vtb", "hunt", "--json", "--strategy=random", "--seed=1", f"--budget={schedules}", f"--time={SECONDS}", "--", *argv, timeout=SECONDS + 120, expect=0)
        got = ran.json()
        check(got["verdict"] == "none", f"verdict {got['verdict']}", ran)
        check(got["stopped"] == "budget", f"stopped by {got['stopped']}", ran)
        check(got["accesses"] > 0, "nothing was hooked", ran)
        place.none_left()
    return 0


main(test)
