#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""file_others.py BIN_DIR PROGRAM: while runs of PROGRAM (file_acts) append to a log and write to a database, another process has
the log open and adds lines, and another one a SQLite database: no line is lost, none comes in between, no row is missing."""
import os
import sqlite3
import threading

from e2e import Place, check, main, need
from file_kills import parts


# They write to log or data, whatever they find there.
ACTS = ("append", "append_stdio", "set_append", "cut_and_write", "large", "truncate_path", "grow")


class Other(threading.Thread):
    """Adds to both as long as the hunts last. The files stay open."""

    def __init__(self, log, database):
        super().__init__()
        self.stop, self.n = threading.Event(), 0
        self.log, self.database = log, database

    def run(self):
        rows = sqlite3.connect(self.database)
        rows.execute("create table lines (n integer)")
        with open(self.log, "a", encoding="ascii") as log:
            while not self.stop.wait(0.001):
                log.write(f"other {self.n}\n")
                log.flush()
                rows.execute("insert into lines values (?)", (self.n,))
                rows.commit()
                self.n += 1
        rows.close()


def test(bin_dir, program):
    need(program)
    view, program = parts(), os.path.abspath(program)
    with Place(bin_dir) as place:
        for kind in view.kinds(["root", "user"], bin_dir, program):
            top = place.path(kind)
            view.prepare(place, kind, top)
            log, database = os.path.join(top, "in", "log"), os.path.join(top, "in", "data")
            os.unlink(database)
            other = Other(log, database)
            other.start()
            for options in ([], ["--jobs=2", "--engine=forkserver"]):
                for act in ACTS:
                    code, _, story = view.hunt(place, kind, program, act, top, ["--budget=20", *options])
                    check(code in (0, 1, 3), story)
            other.stop.set()
            other.join()
            with open(log, encoding="ascii") as f:
                lines = f.read()
            check(lines == "first line\n" + "".join(f"other {i}\n" for i in range(other.n)), f"{kind}: the log is another: {lines[:300]}")
            rows = sqlite3.connect(database)
            check([r[0] for r in rows.execute("select n from lines order by n")] == list(range(other.n)), f"{kind}: rows are missing")
            check(rows.execute("pragma integrity_check").fetchone()[0] == "ok", "the database is broken")
            rows.close()
            check(other.n > 20, "the other process did next to nothing")
        place.none_left()


main(test)
