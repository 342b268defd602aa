#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""vtb_cluster.py SCHEDULER BIN_DIR: gives work items to the workers of a cluster of Dask. `vtb hunt --cluster` starts it.

Standard input has an item a line, standard output gets the result of each, a line, as it comes; besides, in objects of format
"vtb-cluster", how many workers there are and how many items they run at a time, or, before this ends, what the trouble is. It ends
with its input. Dask gives an item whose worker has died to another one. What a worker runs is a plain command: it needs vtb where it
is here, or on its PATH, and no module of ours."""
import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
import uuid

DEBIAN = "/usr/bin/python3"  # python3-distributed is a package of this one
CONNECT_SECONDS = 10
ASK_SECONDS = 1.0  # how often the scheduler is asked for its workers
COMMAND = ["/bin/sh", "-c", "PATH=$0:$PATH exec vtb-run-item --end-with-parent"]


def say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def give_up(trouble):
    say({"format": "vtb-cluster", "trouble": trouble})
    sys.exit(2)


try:
    import distributed
except ImportError:
    if "VTB_CLUSTER_AGAIN" not in os.environ and os.access(DEBIAN, os.X_OK):
        os.environ["VTB_CLUSTER_AGAIN"] = "1"
        os.execv(DEBIAN, [DEBIAN] + sys.argv)
    give_up("--cluster: Dask is not installed (Debian's package is python3-distributed)")


def connect(address):
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="vtb")
    except (OSError, ValueError, TimeoutError) as e:
        give_up(f"--cluster: no scheduler of Dask answers at {address}: {' '.join(str(e).split())[:200]}")


def lost(item, why):
    """The result of an item that no worker has come to an end with."""
    return {"format": "vtb-item-result", "version": 1, "id": item["id"], "state": "trouble", "why": why}


def answer(item, ran):
    """What a worker's command printed, if that is a result of this item."""
    try:
        result = json.loads(ran.stdout)
        if result["format"] == "vtb-item-result" and result["id"] == item["id"]:
            return result
    except (ValueError, KeyError, TypeError):
        pass
    said = " ".join(ran.stderr.split())[-300:]
    return lost(item, f"vtb-run-item left with {ran.returncode}: {said or 'it said nothing'}")


class Cluster:
    def __init__(self, client, bin_dir):
        self.client = client
        self.command = COMMAND + [os.path.realpath(bin_dir)]
        self.name = uuid.uuid4().hex  # results of other hunts are none of ours
        self.done = queue.SimpleQueue()
        self.under_way = {}
        self.number = 0
        self.heard = time.monotonic()

    def submit(self, line):
        item = json.loads(line)
        self.number += 1
        future = self.client.submit(subprocess.run, self.command, input=line, capture_output=True, text=True, check=False,
                                    key=f"vtb-{self.name}-{self.number}-{item['id']}", pure=False, retries=1)
        self.under_way[future.key] = (item, future)
        future.add_done_callback(lambda f: self.done.put(f.key))

    def finish(self, key):
        item, future = self.under_way.pop(key)
        if future.status == "finished":
            say(answer(item, future.result()))
        else:
            why = repr(future.exception()) if future.status == "error" else future.status
            say(lost(item, f"Dask gave it up: {' '.join(why.split())[:300]}"))
        future.release()

    def gone(self):
        """Has the scheduler been away for so long that it will not come back?"""
        if self.client.status == "running":
            self.heard = time.monotonic()
        return time.monotonic() - self.heard > CONNECT_SECONDS

    def workers(self):
        known = self.client.scheduler_info()["workers"].values()
        return {"format": "vtb-cluster", "workers": len(known), "slots": sum(w["nthreads"] for w in known)}

    def close(self):
        for _, future in list(self.under_way.values()):
            future.cancel()
        self.client.close(timeout=1)


def read_items(inbox):
    for line in sys.stdin:
        if line.strip():
            inbox.put(line)
    inbox.put(None)


def work(cluster):
    inbox, told, asked = queue.SimpleQueue(), None, -ASK_SECONDS
    threading.Thread(target=read_items, args=(inbox,), daemon=True).start()
    while True:
        if time.monotonic() - asked >= ASK_SECONDS:
            now, asked = cluster.workers(), time.monotonic()
            if cluster.gone():
                say({"format": "vtb-cluster", "trouble": "--cluster: the scheduler is gone"})
                return
            if now != told:
                say(now)
                told = now
        while not inbox.empty():
            line = inbox.get()
            if line is None:
                return
            cluster.submit(line)
        try:
            cluster.finish(cluster.done.get(timeout=0.02))
        except queue.Empty:
            pass


def main():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    cluster = Cluster(connect(sys.argv[1]), sys.argv[2])
    try:
        work(cluster)
    except BrokenPipeError:
        pass
    finally:
        cluster.close()
        os._exit(0)  # threads of Dask may still be about to close


if __name__ == "__main__":
    main()
