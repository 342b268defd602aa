#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""file_view.py BIN_DIR PROGRAM KINDS [ACT...]: whatever PROGRAM (file_acts) does to files, every run meets the same ones,
and after a hunt they are what they were: content, mode, owner, times of change, links, attributes, inodes. The verdict is
that of a plain run. KINDS: of root, user, refused (no namespaces). Where ACTs are named, user and refused share them."""
import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import sys

from e2e import SKIPPED, Place, check, main, need
from refuse import NAMESPACES, refuse

USER = 12345
HELD = {"text": "text-precious\n", "log": "first line\n", "target": "behind-link\n", "hard1": "hard-precious\n",
        "d1/f": "d1f-precious\n", "d1/deep/down": "down-precious\n", "d2/f": "d2f-precious\n",
        "secret": "secret", "ro": "ro", "db": "page" * 2048}


# What these make, nobody sees being made, or under which name.
UNSEEN = ("before_main", "script", "other_root")


def digest(path):
    """Of what is in the file and where; holes are not read."""
    h, at = hashlib.sha256(), 0
    fd = os.open(path, os.O_RDONLY | os.O_NOATIME | os.O_NOFOLLOW)
    try:
        while True:
            at = os.lseek(fd, at, os.SEEK_DATA)
            end = os.lseek(fd, at, os.SEEK_HOLE)
            h.update(b"%d %d " % (at, end))
            while at < end:
                block = os.pread(fd, min(1 << 20, end - at), at)
                h.update(block)
                at += len(block)
    except OSError:  # no more data
        os.close(fd)
    return h.hexdigest()


def tree(top):
    """Name -> all that there is to know."""
    found = {}
    for folder, folders, files in os.walk(top):
        for path in [folder] + [os.path.join(folder, name) for name in folders + files]:
            st = os.lstat(path)
            link, readable = stat.S_ISLNK(st.st_mode), os.access(path, os.R_OK)
            what = os.readlink(path) if link else digest(path) if stat.S_ISREG(st.st_mode) and readable else ""
            attributes = {a: os.getxattr(path, a) for a in os.listxattr(path)} if readable and not link else {}
            found[os.path.relpath(path, top)] = (stat.filemode(st.st_mode), st.st_uid, st.st_gid, st.st_size, st.st_blocks,
                                                 st.st_mtime_ns, st.st_ctime_ns, st.st_nlink, st.st_ino, what, attributes)
    return found


def build(top, owner):
    """`top`/in is where programs run; root's has files of others."""
    place = os.path.join(top, "in")
    for name in ("d1/deep", "d2", "empty", "../next"):
        os.makedirs(os.path.join(place, name))
    for name, text in HELD.items():
        with open(os.path.join(place, name), "w", encoding="ascii") as f:
            f.write(text)
    with open(os.path.join(place, "data"), "wb") as f:
        f.write(bytes(range(1, 251)) * 36)
    for name, size in (("sparse", 50 << 20), ("big", 300 << 20)):
        with open(os.path.join(place, name), "wb") as f:
            f.truncate(size)
    with open(os.path.join(place, "big"), "r+b") as f:
        f.seek(299 << 20)
        f.write(b"B" * (1 << 20))
    with open(os.path.join(place, "log"), "w", encoding="ascii") as f:
        f.write("first line\n")
    with open(os.path.join(top, "next", "file"), "w", encoding="ascii") as f:
        f.write("next")
    os.link(os.path.join(place, "hard1"), os.path.join(place, "hard2"))
    os.symlink("d1", os.path.join(place, "cur"))
    os.symlink("target", os.path.join(place, "link"))
    os.symlink("nowhere", os.path.join(place, "dangling"))
    os.mkfifo(os.path.join(place, "fifo"), 0o622)
    os.setxattr(os.path.join(place, "data"), "user.keep", b"important")
    if os.geteuid() == 0:
        for folder, folders, files in os.walk(top):
            for path in [folder] + [os.path.join(folder, name) for name in files]:
                os.lchown(path, owner, owner)
        if not owner:
            os.chown(os.path.join(place, "data"), 7, 8)
    for name, mode in (("data", 0o640), ("secret", 0), ("ro", 0o400), ("d1", 0o2775)):
        os.chmod(os.path.join(place, name), mode)
    for name in ("data", "text", "d1/f", "d1"):
        os.utime(os.path.join(place, name), ns=(1577934245123456789, 1577934245123456789))
    return place


def reaches(path):
    """Could another user use it? A checkout in root's home is closed to others."""
    return subprocess.run(["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "test", "-x", path], check=False).returncode == 0


def kinds(asked, *paths):
    """Of root, user and refused those that can be tried here with the files at `paths`."""
    if os.geteuid():
        return [k for k in asked if k != "root"]
    closed = [p for p in paths if not reaches(p)]
    if closed and "user" in asked:
        print(f"not tried as a user: {closed[0]} is closed to others")
    return [k for k in asked if k != "user" or not closed]


def as_user(kind, command):
    if kind == "user" and os.geteuid() == 0:
        return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
    return command


def refuse_namespaces():
    """As a container's filter does: no new namespaces, no mounts."""
    refuse(NAMESPACES)


def run(place, kind, argv, inherit=None):
    """With descriptor 7 open on a file, if that is asked for."""
    saved = None
    if inherit:
        fd = os.open(inherit, os.O_RDWR)
        os.dup2(fd, 7)
        os.close(fd)
        os.set_inheritable(7, True)
        saved = 7
    try:
        p = subprocess.Popen(as_user(kind, argv), cwd=place.dir, env=place.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[saved] if saved else [],
                             preexec_fn=refuse_namespaces if kind == "refused" else None)
        out, err = p.communicate(timeout=200)
    finally:
        if saved:
            os.close(saved)
    return p.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def world():
    """What a hunt could leave behind elsewhere."""
    mounts = open("/proc/self/mountinfo", encoding="utf-8").read()
    places = [d for d in ("/tmp", "/dev/shm", "/var/tmp", "/dev/mqueue") if os.path.isdir(d)]
    names = {d: sorted(n for n in os.listdir(d) if "vtb-acts" in n) for d in places}
    ipc = subprocess.run(["ipcs"], capture_output=True, text=True).stdout.count("0x00767462")
    return mounts, names, ipc


def hunt(place, kind, program, act, top, options=()):
    import json
    code, out, err = run(place, kind, ["vtb", "hunt", "--json", "--no-canary", "--strategy=random", "--seed=1", "--budget=6",
                                       "--time=300", "-o", place.dir, *options, "--", program, act, os.path.join(top, "in")],
                         os.path.join(top, "in", "log") if act == "inherited" else None)
    try:
        got = json.loads(out)
    except ValueError:
        got = {"verdict": "?", "statement": ""}
    return code, got, f"exit {code}\n{out}\n{err}"


def prepare(place, kind, top):
    os.makedirs(top)
    os.chmod(place.dir, 0o777)
    build(top, USER if kind == "user" and os.geteuid() == 0 else os.geteuid())


def refused(place, act, top, before, after, code, got, story):
    """Without namespaces a run changes what it changes without vtb. vtb itself removes what was made, touches nothing else,
    and says so."""
    inodes = {facts[8] for facts in before.values()}
    made = [name for name in sorted(after.keys() - before.keys()) if after[name][8] not in inodes and act not in UNSEEN]
    wrong = [f"{name} was made and is still there" for name in made]
    content = lambda found: {name: facts[:5] + facts[9:] for name, facts in found.items() if facts[0][0] != "d"}
    same = content(before) == content(after)
    if code not in (0, 3):
        wrong.append(f"exit code {code}")
    if not same and code != 3:
        wrong.append("files are not what they were, and the exit code is not 3")
    if got.get("files") == "plain" and "not kept apart" not in got["statement"]:
        wrong.append("the statement does not say that files were not kept apart")
    if got.get("files") not in ("plain", "none") and act != "before_main":
        wrong.append(f"files: {got.get('files')}")
    shutil.rmtree(top, ignore_errors=True)
    return "\n".join([f"refused: {act}", *wrong, story]) if wrong else ""


def one(place, kind, program, act):
    """'' if all is well. A plain run on a copy says what is to be expected."""
    plain, top = place.path(kind + ".plain"), place.path(kind)
    prepare(place, kind, plain)
    inherit = os.path.join(plain, "in", "log") if act == "inherited" else None
    expected = run(place, kind, [program, act, os.path.join(plain, "in")], inherit)[0]
    run(place, "root", [program, "clean"])
    for pid in place.left():
        os.kill(pid, 9)
    shutil.rmtree(plain)
    if expected == 77:
        return ""
    if not os.path.exists(top):
        prepare(place, kind, top)
    before, outside = tree(top), world()
    code, got, story = hunt(place, kind, program, act, top)
    after = tree(top)
    if kind == "refused":
        return refused(place, act, top, before, after, code, got, story)
    other = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
    wrong = [f"{name}: {before.get(name)} became {after.get(name)}" for name in other]
    if world() != outside:
        wrong.append(f"left behind: {world()} instead of {outside}")
    apart = kind == "user" and act.endswith("_hard_link")  # the kernel keeps links together for root only: it is said
    if apart and (code != 3 or "linked from elsewhere" not in got["statement"]):
        wrong.append("a file with two names came apart in the view and nothing is said")
    elif not apart and got["verdict"] != ("exit" if expected else "none"):
        wrong.append(f"verdict {got['verdict']}, a plain run ends with {expected}")
    if "earlier run" in got["statement"] or (not apart and "another owner" in got["statement"]):
        wrong.append(got["statement"])
    if place.left():
        try:
            place.none_left()
        except Exception as e:
            wrong.append(str(e))
    if wrong:
        shutil.rmtree(top, ignore_errors=True)
    return "\n".join([f"{kind}: {act}", *wrong, story]) if wrong else ""


def test(bin_dir, program, asked, *acts):
    need(program)
    program = os.path.abspath(program)
    names = acts or subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    failed = []
    with Place(bin_dir) as place:
        tried = kinds(asked.split(","), bin_dir, program)
        for kind in tried:
            for act in names[kind == "refused"::2] if acts and kind != "root" else names:
                said = one(place, kind, program, act)
                if said:
                    print(said, flush=True)
                    failed.append(f"{kind}:{act}")
        place.none_left()
    check(not failed, f"{len(failed)} of {len(names)} acts: {' '.join(failed)}")
    print(f"{len(names)} acts, {','.join(tried)}: as before")


if __name__ == "__main__":
    main(test)
