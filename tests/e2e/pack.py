#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pack.py BIN_DIR PROGRAM: a failure of a copy of PROGRAM is packed; the copy is removed; unpacked elsewhere it replays with what was packed. Another kernel,
glibc or variable is told; a program that was built anew is not packed, and its build-id is told. The same failure gives the same bytes. Bundles that are cut,
changed, or would write elsewhere are refused, and leave nothing outside of their directory."""
import io
import json
import os
import shutil
import subprocess
import tarfile

from e2e import Place, check, main, need


def rewrite(bundle, to, change):
    """The same bundle with `change(name, bytes)` applied: (name, bytes) or None."""
    with tarfile.open(bundle) as old, tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as new:
        for member in old:
            name, data = change(member.name, old.extractfile(member).read())
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), member.mode
            new.addfile(info, io.BytesIO(data))


def replays(place, bundle, where):
    ran = place.run("vtb", "pack", "--unpack", bundle, "-o", where, expect=0)
    command = ran.out.splitlines()[-1]
    again = place.run("bash", "-c", command, expect=1)
    check("1 confirmed" in again.out, "the unpacked failure does not replay", again)
    check("is the one recorded" in again.out, "the build is not told to be the same", again)
    return ran


def differs(place, bundle):
    def change(name, data):
        if name != "manifest.json":
            return name, data
        manifest = json.loads(data)
        manifest["machine"].update(kernel="1.2.3-old", glibc="2.1")
        manifest["variables"]["TZ"] = "Mars/North"
        return name, json.dumps(manifest).encode()

    rewrite(bundle, place.path("other.tar"), change)
    ran = place.run("vtb", "pack", "--unpack", place.path("other.tar"), "-o", place.path("other"), expect=0)
    for want in ("kernel was 1.2.3-old there", "glibc was 2.1 there", "TZ was Mars/North there, and is not set here"):
        check(want in ran.out, f"does not say that {want}", ran)


def not_unpacked(place, bundle, where):
    """Nothing stays, so that a better bundle can be unpacked there."""
    before = set(os.listdir(place.dir))
    ran = place.run("vtb", "pack", "--unpack", place.path(bundle), "-o", place.path(where), expect=2)
    check(set(os.listdir(place.dir)) == before, f"{bundle} is refused, and leaves {set(os.listdir(place.dir)) - before}", ran)
    return ran


def refused(place, bundle):
    data = open(bundle, "rb").read()
    for number, cut in enumerate((1, 512, 700, len(data) // 2, len(data) - 1500)):
        with open(place.path("cut.tar"), "wb") as f:
            f.write(data[:cut])
        not_unpacked(place, "cut.tar", f"cut{number}" + "/" * (number % 2))
    for number, name in enumerate(("../out", "/tmp/out", "files/../../out", "a/b", "files/a/b")):
        rewrite(bundle, place.path("bad.tar"), lambda old, bytes: (name, bytes) if old == "failure.json" else (old, bytes))
        ran = not_unpacked(place, "bad.tar", f"bad{number}")
        check(not os.path.exists(place.path("out")) and not os.path.exists("/tmp/out"), f"{name} was written", ran)


def strange_entries(place, bundle):
    """Links, devices, directories, sizes beyond the file, names that are taken, too many of them."""
    def entry(name, **more):
        info = tarfile.TarInfo(name)
        for member, value in more.items():
            setattr(info, member, value)
        return info

    kinds = [[entry("files/x", type=tarfile.SYMTYPE, linkname="/etc/passwd"), entry("files/x")], [entry("files/x", type=tarfile.LNKTYPE, linkname="/etc/passwd")],
             [entry("files/x", type=tarfile.CHRTYPE, devmajor=1, devminor=3)], [entry("files/x", type=tarfile.FIFOTYPE)], [entry("files/x", type=tarfile.DIRTYPE)],
             [entry("files/x", size=1 << 32)], [entry("files")], [entry("files/.")], [entry("manifest.json"), entry("manifest.json")], [entry("files/" + "x" * 94)],
             [entry(f"files/{i}") for i in range(4100)]]
    for number, entries in enumerate(kinds):
        with open(place.path("strange.tar"), "wb") as f:
            for info in entries:
                f.write(info.tobuf(tarfile.USTAR_FORMAT))
            f.write(bytes(1024))
        ran = not_unpacked(place, "strange.tar", f"strange{number}")
        check(ran.err.count("\n") == 1 and ran.seconds < 20, f"{entries[0].name} of type {entries[0].type}", ran)


def strange_manifest(place, bundle):
    """It names a program that is not in the bundle: no such command is told."""
    for number, name in enumerate(("../../../bin/true", "/bin/true", "files/../../x", "manifest.json", "files/a b")):
        def change(old, data):
            if old != "manifest.json":
                return old, data
            manifest = json.loads(data)
            manifest["files"][0]["name"] = name
            return old, json.dumps(manifest).encode()

        rewrite(bundle, place.path("named.tar"), change)
        ran = not_unpacked(place, "named.tar", f"named{number}")
        check("is no file of a bundle" in ran.err and not ran.out, f"{name} is told as the program", ran)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        os.mkdir(place.path("there"))
        copy = place.path("there", "program")
        shutil.copy(program, copy)
        place.run("vtb", "hunt", "-q", "--time=300", "-o", place.path("there"), "--", copy, timeout=120, expect=1)
        failure, bundle = place.path("there", "failure.json"), place.path("bug.tar")
        for name in (bundle, place.path("again.tar")):
            place.run("vtb", "pack", "-o", name, failure, expect=0)
        check(open(bundle, "rb").read() == open(place.path("again.tar"), "rb").read(), "the same failure gives other bytes")
        with open(copy, "ab") as f:  # another file, the same build
            f.write(b"\0")
        subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", copy], check=True)
        ran = place.run("vtb", "pack", "-o", place.path("without.tar"), failure, expect=0)
        check("not the build that failed" in ran.out, "another build was packed", ran)
        ran = place.run("vtb", "pack", "--unpack", place.path("without.tar"), "-o", place.path("without"), expect=0)
        check("is needed" in ran.out and not os.listdir(place.path("without", "files")), "what is missing is not told", ran)
        shutil.rmtree(place.path("there"))
        replays(place, bundle, place.path("here"))
        differs(place, bundle)
        refused(place, bundle)
        strange_entries(place, bundle)
        strange_manifest(place, bundle)
        not_unpacked(place, "bug.tar", "here")
        place.none_left()


main(test)
