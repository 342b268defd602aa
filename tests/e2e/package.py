#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""package.py BIN_DIR BUILD_DIR SOURCE_DIR [ROOT]: what is installed is what there is to be and nothing of ours besides; shells take its completions.
With ROOT (--bootstrap: one is made by debootstrap): the Debian package has the same, and is installed into an empty system in which the source tree is not, and doctor, hunt, per-test,
replay and viz work there."""
import os
import re
import shutil
import subprocess
import sys

from e2e import SKIPPED, Place, check, main

WANTED = ["usr/bin/vtb", "usr/bin/vtb-hunt", "usr/lib/libvtb-rt.so", "usr/lib/vtb/libtsan.so.2", "usr/libexec/vtb/vtb_cluster.py", "usr/lib/pkgconfig/vtb.pc", "usr/lib/cmake/vtb/vtbConfig.cmake",
          "usr/share/doc/vtb/README.md", "usr/share/doc/vtb/ci.md", "usr/share/doc/vtb/format/hunt.md", "usr/share/bash-completion/completions/vtb"]
ALLOWED = re.compile(r"usr/(bin/vtb(-[a-z+-]+)?|libexec/vtb/vtb_cluster\.py|lib/(vtb-qemu\.so|libvtb-rt\.so|vtb/.*|pkgconfig/vtb\.pc|cmake/vtb/.*)|share/(doc/vtb|man/man[17]|bash-completion|zsh|fish)/.*)$")
PROGRAM = "cmocka.c"


def content(deb):
    out = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "-t"], input=out, capture_output=True, check=True).stdout.decode().splitlines()
    return [name[2:] for name in names if not name.endswith("/")]


def installed(place, build):
    place.run("cmake", "--install", build, "--prefix", place.path("top", "usr"), timeout=120, expect=0)
    top = place.path("top")
    return [os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(top) for name in names]


def check_content(names):
    for want in WANTED:
        check(want in names, f"{want} is not in the package")
    for name in names:
        check(ALLOWED.match(name), f"{name} is in the package, and should not be")
    pages = {os.path.basename(name).split(".")[0] for name in names if "/man/" in name}
    commands = {os.path.basename(name) for name in names if name.startswith("usr/bin/")} - {"vtb-canary"}
    check(not pages or commands <= pages, f"commands without a manual page: {commands - pages}")


def check_completions(place, build):
    for shell, name in (("bash", "vtb.bash"), ("zsh", "_vtb"), ("fish", "vtb.fish")):
        if shutil.which(shell):
            place.run(shell, "-n", os.path.join(build, "completions", name), expect=0)
    ran = place.run("bash", "-c", f"compopt() {{ :; }}; . {build}/completions/vtb.bash; COMP_WORDS=(vtb hunt --per); COMP_CWORD=2; _vtb; echo ${{COMPREPLY[@]}}", expect=0)
    check(ran.out.strip() == "--per-test", "bash does not complete --per-test", ran)


def chroot(place, root, command, expect):
    return place.run("chroot", root, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "LC_ALL=C", "sh", "-ec", command, timeout=600, expect=expect)


def install(place, root, deb, sources, program):
    if not os.path.exists(os.path.join(root, "usr/bin/dpkg")):
        place.run("debootstrap", "--variant=minbase", "bookworm", root, timeout=900, expect=0)
    shutil.copy(deb, os.path.join(root, "root/vtb.deb"))
    shutil.copy(program, os.path.join(root, "root/tests"))
    shutil.copy("/etc/resolv.conf", os.path.join(root, "etc/resolv.conf"))
    for name in ("sources.list", "apt.conf.d", "trusted.gpg.d"):
        if os.path.isdir(f"/etc/apt/{name}"):
            shutil.copytree(f"/etc/apt/{name}", f"{root}/etc/apt/{name}", dirs_exist_ok=True)
    for name in ("proc", "sys", "dev"):
        place.run("mount", "--rbind", f"/{name}", os.path.join(root, name), expect=0)
        place.run("mount", "--make-rslave", os.path.join(root, name), expect=0)
    chroot(place, root, "apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /root/vtb.deb libcmocka0 graphviz", 0)


def use(place, root):
    chroot(place, root, "cd /root; vtb --version; vtb doctor ./tests", 0)
    chroot(place, root, "cd /root; vtb hunt --time=20 -o out -- ./tests", 1)
    ran = chroot(place, root, "cd /root; vtb hunt --per-test --time=20 --junit=all.xml -o each -- ./tests", 1)
    check("1 test: 1 with a bug" in ran.out, "no table", ran)
    ran = chroot(place, root, "cd /root; vtb replay --run out/failure.json", 1)
    check("1 confirmed" in ran.out, "it does not replay", ran)
    for form in ("html", "sarif", "svg", "markdown"):
        ran = chroot(place, root, f"cd /root; vtb viz --{form} out/failure.json", 0)
        check(len(ran.out) > 500, f"no {form}", ran)


def leave(root):
    for name in ("proc", "sys", "dev"):
        subprocess.run(["umount", "-R", "-l", os.path.join(root, name)], stderr=subprocess.DEVNULL)


def in_root(place, deb, build, sources, where):
    program = place.path("tests")
    place.run("gcc", "-g", "-O1", "-fsanitize=thread", os.path.join(sources, "tests/e2e/frameworks", PROGRAM), "-o", program, "-lcmocka", "-pthread", expect=0)
    root = place.path("root") if where == "--bootstrap" else where
    os.makedirs(root, exist_ok=True)
    try:
        install(place, root, deb, sources, program)
        use(place, root)
    finally:
        leave(root)


def test(bin_dir, build, sources, where=None):
    if where and (os.geteuid() or not shutil.which("debootstrap") or not shutil.which("dpkg-shlibdeps")):
        return SKIPPED
    with Place(bin_dir) as place:
        check_content(installed(place, build))
        check_completions(place, build)
        if where:
            deb = place.run(os.path.join(sources, "script/package"), build, timeout=200, expect=0).out.splitlines()[-1]
            check_content(content(deb))
            in_root(place, deb, build, sources, where)
    return 0


main(test)
