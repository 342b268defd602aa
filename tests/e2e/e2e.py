# SPDX-License-Identifier: GPL-2.0-or-later
"""What the end-to-end tests share: run a command under a time limit, find what it left behind, fail with the whole story."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
MARK = "VTB_E2E_MARK"
PATIENCE = int(os.environ.get("VTB_PATIENCE", "1"))  # how many times as slow as a quiet machine this one may be


class Failed(Exception):
    pass


def hooked(how, compiler):
    """The command that compiles with hooks for tier `how` (tsan or pads), before its other arguments. `compiler`: a list."""
    if how == "pads":
        return ["vtb", "cc", *compiler]
    if "clang" in os.path.basename(compiler[0]):  # its own runtime is not to be linked
        return ["vtb", "cc", "--hooks=tsan", *compiler]
    return [*compiler, "-fsanitize=thread"]


class Ran:
    """One finished command."""

    def __init__(self, argv, code, out, err, seconds):
        self.argv, self.code, self.out, self.err, self.seconds = argv, code, out, err, seconds

    def story(self):
        said = lambda text: "\n".join("    " + line for line in text[-4000:].splitlines())
        return f"$ {' '.join(map(str, self.argv))}\n  exit {self.code}, {self.seconds:.1f} s\n  stdout\n{said(self.out)}\n  stderr\n{said(self.err)}"

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError as e:
            raise Failed(f"stdout is not one JSON object: {e}\n{self.story()}")


class Place:
    """A temporary directory and the commands run in it. Everything started here carries a mark in its environment, so that
    processes left behind are found wherever they went."""

    def __init__(self, bin_dir):
        self.bin = os.path.abspath(bin_dir)
        self.dir = tempfile.mkdtemp(prefix="vtb-e2e.")
        self.mark = os.urandom(16).hex()
        self.env = dict(os.environ, PATH=self.bin + os.pathsep + os.environ.get("PATH", ""), LC_ALL="C", NO_COLOR="1", TERM="dumb", TMPDIR=self.dir)
        self.env[MARK] = self.mark
        for name in ("VTB_LOG", "COLUMNS", "LD_LIBRARY_PATH", "LD_PRELOAD"):
            self.env.pop(name, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for pid in self.left():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def start(self, *argv, stdin=subprocess.DEVNULL, **more):
        try:
            return subprocess.Popen(argv, cwd=self.dir, env=self.env, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        except FileNotFoundError:
            raise Failed(f"there is no {argv[0]} in {self.bin}")

    def run(self, *argv, timeout=120, expect=None, stdin=subprocess.DEVNULL):
        """Run to the end. A signal, a time-out or an exit code not in `expect` fails the test."""
        begin = time.monotonic()
        p = self.start(*argv, stdin=stdin)
        try:
            out, err = p.communicate(timeout=timeout * PATIENCE)
            late = False
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = self.drain(p)
            late = True
        ran = Ran(argv, p.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), time.monotonic() - begin)
        ran.bytes = out + err
        if late:
            raise Failed(f"still running after {timeout * PATIENCE} s\n{ran.story()}")
        if ran.code < 0:
            raise Failed(f"killed by {signal.Signals(-ran.code).name}\n{ran.story()}")
        if expect is not None and ran.code not in (expect if isinstance(expect, (tuple, set, list)) else (expect,)):
            raise Failed(f"exit code {ran.code}, expected {expect}\n{ran.story()}")
        return ran

    def drain(self, p):
        """What a killed command said; children that hold its pipes are killed too."""
        for pid in self.left():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            return p.communicate(timeout=5 * PATIENCE)
        except subprocess.TimeoutExpired:
            return b"", b""

    def left(self):
        """Processes that carry our mark (zombies have no environment left and do not count)."""
        want = f"{MARK}={self.mark}".encode()
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    if want in f.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
        return found

    def none_left(self, patience=3.0 * PATIENCE):
        """Fail if a marked process is still there after `patience` seconds."""
        end = time.monotonic() + patience
        while self.left():
            if time.monotonic() > end:
                names = []
                for pid in self.left():
                    try:
                        with open(f"/proc/{pid}/cmdline", "rb") as f:
                            names.append(f"{pid}: " + f.read().replace(b"\0", b" ").decode("utf-8", "replace"))
                    except OSError:
                        pass
                raise Failed("processes are left behind:\n  " + "\n  ".join(names))
            time.sleep(0.05)


def check(condition, sentence, ran=None):
    if not condition:
        raise Failed(sentence + ("\n" + ran.story() if ran else ""))


def wait_until(condition, what, p=None, seconds=60):
    """Wait for what is to be seen, however slow the machine is; process `p` must not end before that."""
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        if p is not None and p.poll() is not None and not condition():
            raise Failed(f"ended by itself with {p.returncode} before it was seen that {what}")
        check(time.monotonic() < end, f"it was never seen that {what}")
        time.sleep(0.01)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(n) for n in f.read().split()]
    except OSError:
        return []


def main(test):
    """Run test(argv...) and turn its outcome into ctest's exit codes."""
    try:
        code = test(*sys.argv[1:])
    except Failed as e:
        print(f"FAILED: {e}")
        sys.exit(1)
    sys.exit(code or 0)


def need(path):
    """Skip where a program could not be built for want of its compiler."""
    if not os.path.exists(path):
        print(f"skipped: {path} was not built")
        sys.exit(SKIPPED)
    return path
