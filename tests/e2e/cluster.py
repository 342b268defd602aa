#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cluster.py BIN_DIR CORRECT BROKEN: hunts on a cluster of Dask on this machine: a scheduler with two workers, and a LocalCluster. The same list of items has
the same results as here; a worker that is killed in the middle loses nothing, and nothing counts twice; a scheduler that is gone ends the hunt with what there
is; a failure is told and replays; a worker with another build refuses. Nothing listens on other than loopback, and nothing is left. Skipped without Dask."""
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from e2e import PATIENCE, SKIPPED, Failed, Place, check, main, need

PYTHON = "/usr/bin/python3"  # whose packages Debian's python3-distributed is one of
LOOPBACK = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]  # else its page of state listens everywhere
LIST = [(f"walk-{seed}", dict(strategy=name, seed=str(seed), budget="12000"))
        for seed, name in enumerate(("random", "pos", "surw", "pct", "random", "pos", "random", "surw"))] + [("levels", dict(strategy="cvt", budget="6000"))]
LOCAL = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                      worker_dashboard_address="127.0.0.1:0", local_directory=sys.argv[1], silence_logs=50) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def end_with_us():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Cluster:
    """A scheduler and its workers; they end with this process, however that ends, and their directories with them."""

    def __init__(self, place):
        self.place = place
        self.processes = []
        self.space = place.path("space")
        os.mkdir(self.space)
        self.cleaner = subprocess.Popen(["/bin/sh", "-c", 'cat >/dev/null; rm -rf -- "$1"', "sh", self.space], stdin=subprocess.PIPE, start_new_session=True)

    def start(self, *argv, **more):
        with open(os.path.join(self.space, "log"), "a") as log:
            process = subprocess.Popen([*more.pop("before", []), PYTHON, *argv], cwd=self.space, env=self.place.env, preexec_fn=end_with_us, stderr=log, text=True,
                                       **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **more})
        self.processes.append(process)
        return process

    def scheduler(self):
        file = os.path.join(self.space, f"scheduler-{len(self.processes)}")
        process = self.start("-m", "distributed.cli.dask_scheduler", *LOOPBACK, "--port", "0", "--scheduler-file", file)
        end = time.monotonic() + 30 * PATIENCE
        while time.monotonic() < end:
            try:
                with open(file) as f:
                    return process, json.load(f)["address"]
            except (OSError, ValueError):
                time.sleep(0.1)
        raise Failed("the scheduler does not come up: " + self.log())

    def worker(self, address, **more):
        return self.start("-m", "distributed.cli.dask_worker", address, *LOOPBACK, "--nthreads", "1", "--no-nanny", "--local-directory",
                          os.path.join(self.space, f"worker-{len(self.processes)}"), **more)

    def log(self):
        with open(os.path.join(self.space, "log")) as f:
            return f.read()[-3000:]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.stdin.close()
            process.stdout.close()
            process.wait()
        self.cleaner.stdin.close()
        self.cleaner.wait()


def listening(pids):
    """Addresses at which these processes listen, as /proc/net has them."""
    inodes = set()
    for pid in pids:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                inodes.add(os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            pass
    found = set()
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}") as f:
            for words in map(str.split, f.readlines()[1:]):
                if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                    found.add(words[1].split(":")[0])
    return found


def check_listening(cluster, place):
    heard = listening([p.pid for p in cluster.processes] + place.left())
    check(heard and heard <= {"0100007F"}, f"listens at {heard}")


def plain(line):
    return re.sub(r'"seconds": [0-9.e+-]+', "", line)


def results(path):
    with open(path) as f:
        lines = f.readlines()
    ids = [json.loads(line)["id"] for line in lines]
    check(sorted(ids) == sorted(name for name, _ in LIST), f"results are of {ids}")
    return {json.loads(line)["id"]: plain(json.dumps(json.loads(line))) for line in lines}


def counts(told):
    return {member: told[member] for member in ("verdict", "schedules", "classes", "done", "complete")}


def hunt_list(place, program, name, *more):
    return place.start("vtb", "hunt", "--json", "--no-canary", "--time=200", "--items=list", f"--item-results={name}", *more, "--", program)


def finish(process, codes, timeout=200):
    try:
        out, err = process.communicate(timeout=timeout * PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed(f"does not end: {process.args}")
    check(process.returncode in codes, f"exit {process.returncode}: {process.args}\n{out.decode()}\n{err.decode()}")
    return json.loads(out)


def items_of(worker):
    """Items that this worker runs now."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as f:
                if name.isdigit() and int(f.read().rsplit(")", 1)[1].split()[1]) == worker.pid:
                    found.append(int(name))
        except OSError:
            pass
    return found


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        check(time.monotonic() < end, f"never: {what}")
        time.sleep(0.02)


def same_results(place, cluster, program):
    with open(place.path("list"), "w") as f:
        f.writelines(json.dumps({"id": name, "options": options}) + "\n" for name, options in LIST)
    here = counts(finish(hunt_list(place, program, "here"), (0,)))
    scheduler, address = cluster.scheduler()
    workers = [cluster.worker(address), cluster.worker(address)]
    there = counts(finish(hunt_list(place, program, "there", f"--cluster={address}"), (0,)))
    check(there == here and results(place.path("there")) == results(place.path("here")), f"here {here}, on the cluster {there}")
    check_listening(cluster, place)
    print(f"{len(LIST)} items, {here['schedules']} schedules, {here['classes']} classes: the same here and on two workers")
    return scheduler, address, workers, here


def killed_worker(place, program, address, workers, here):
    hunting = hunt_list(place, program, "killed", f"--cluster={address}")
    wait_until(lambda: items_of(workers[0]), "the first worker has an item")
    children = items_of(workers[0])
    workers[0].kill()
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in children), "what the killed worker ran ends")
    told = counts(finish(hunting, (0,)))
    check(told == here and results(place.path("killed")) == results(place.path("here")), f"here {here}, with a killed worker {told}")
    print("a worker killed in the middle: the same")


def found(place, address, broken):
    alone = place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", "-o", "alone", "--", broken, expect=1).json()
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", f"--cluster={address}", "-o", "found", "--", broken, expect=1)
    for member in ("verdict", "signature", "tuple"):
        check(ran.json()[member] == alone[member], f"{member}: {ran.json()[member]}, alone {alone[member]}", ran)
    place.run("vtb", "replay", "found/failure.json", "--", broken, expect=1)


def planned(place, address, program):
    """Without a list, and interrupted: what was completed is told."""
    hunting = place.start("vtb", "hunt", "--json", "--no-canary", "--time=100", f"--cluster={address}", "--item-results=planned", "--", program)
    time.sleep(6 * PATIENCE)
    hunting.send_signal(signal.SIGINT)
    told = finish(hunting, (0, 3), 60)
    with open(place.path("planned")) as f:
        done = [json.loads(line) for line in f]
    completed = sum(r["state"] == "completed" for r in done)
    check(completed and f"of which {completed} w" in told["statement"] and told["stopped"] == "interrupt", f"{completed}: {told['statement']}")
    check(told["classes"] == len(set().union(*(r.get("classes", []) for r in done))), f"{told['classes']} classes")
    check(len({r["id"] for r in done}) == len(done), "an item has two results")


def other_build(place, cluster, program, broken):
    """A worker in a mount namespace in which the program is another one."""
    shutil.copy(program, place.path("program"))
    shutil.copy(broken, place.path("other"))
    before = ["unshare", "-m", "/bin/sh", "-c", f"mount --bind {place.path('other')} {place.path('program')} && exec \"$@\"", "sh"]
    if subprocess.run([*before, "true"], capture_output=True).returncode:
        print("no mount namespaces here: no worker with another build")
        return
    _, address = cluster.scheduler()
    cluster.worker(address, before=before)
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", f"--cluster={address}", "--", place.path("program"), expect=3)
    told = ran.json()
    check(told["stopped"] == "refused" and "another build here" in told["statement"] and "0 were completed" in told["statement"], "a worker with another build counts", ran)


def lost_scheduler(place, program, scheduler, address):
    hunting = place.start("vtb", "hunt", "--json", "--no-canary", "--time=60", f"--cluster={address}", "--item-results=lost", "--", program)
    time.sleep(5 * PATIENCE)
    scheduler.kill()
    told = finish(hunting, (0, 3), 90)
    check("were completed" in told["statement"], f"nothing of what was done: {told['statement']}")


def local_cluster(place, cluster, program, here):
    with open(place.path("local.py"), "w") as f:
        f.write(LOCAL)
    process = cluster.start(place.path("local.py"), place.path("space", "local"))
    address = process.stdout.readline().strip()
    check(address.startswith("tcp://127.0.0.1:"), f"LocalCluster at {address}: {cluster.log()}")
    told = counts(finish(hunt_list(place, program, "local", f"--cluster={address}"), (0,)))
    check_listening(cluster, place)
    check(told == here and results(place.path("local")) == results(place.path("here")), f"here {here}, in a LocalCluster {told}")
    process.stdin.close()
    process.wait(timeout=30 * PATIENCE)


def test(bin_dir, correct, broken):
    need(correct)
    need(broken)
    if subprocess.run([PYTHON, "-c", "import distributed"], capture_output=True).returncode:
        print("skipped: python3-distributed is not installed")
        return SKIPPED
    with Place(bin_dir) as place:
        with Cluster(place) as cluster:
            scheduler, address, workers, here = same_results(place, cluster, correct)
            killed_worker(place, correct, address, workers, here)
            found(place, address, broken)
            planned(place, address, correct)
            other_build(place, cluster, correct, broken)
            local_cluster(place, cluster, correct, here)
            lost_scheduler(place, correct, scheduler, address)
            ran = place.run("vtb", "hunt", "--no-canary", f"--cluster={address}", "--time=60", "--", correct, expect=2)
            check(ran.err.count("\n") == 1 + ran.err.count("searching") and "no scheduler" in ran.err, "a scheduler that is none is not told", ran)
        place.none_left(20)
        check(not os.path.exists(cluster.space), f"{cluster.space} is left")


if __name__ == "__main__":
    main(test)
