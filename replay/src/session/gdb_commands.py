# SPDX-License-Identifier: GPL-2.0-or-later
# Read by gdb, not by Python: vtb-replay hands it over with what is known of the run (gdb_script.c) as `vtb_known`. It stops the program right
# before the last deviation and where it fails, and adds the commands vtb-where, vtb-order and vtb-step. What it asks the runtime for is in
# runtime/sched (vtb_sched, struct vtb_sched_thread) and runtime/base (struct vtb_base_thread); tests/e2e/gdb.py holds it to that.
import os

import gdb

VTB_ROWS = 30  # of the order, around where the run is


def vtb_path(slot):
    """'0.1': the thread's creation path."""
    base = gdb.parse_and_eval("vtb_rt.threads")[slot]["base"]
    parent = int(base["parent"])
    return "0" if parent >= int(gdb.parse_and_eval("vtb_rt.n_threads")) else f"{vtb_path(parent)}.{int(base['nth'])}"


def vtb_threads():
    """(path, the runtime's struct) of all threads of the program."""
    for slot in range(int(gdb.parse_and_eval("vtb_rt.n_threads"))):
        thread = gdb.parse_and_eval("vtb_rt.threads")[slot].dereference()
        if not int(thread["sched"]["service"]):
            yield vtb_path(slot), thread


def vtb_gdb_thread(thread):
    """gdb's thread of it; None if it has ended."""
    wanted = int(thread["sched"]["kernel_id"])
    return next((t for t in gdb.selected_inferior().threads() if t.is_valid() and t.ptid[1] == wanted), None)


def vtb_is_ours(frame):
    """Of the runtime, of libc, or of the dynamic linker."""
    name = gdb.solib_name(frame.pc()) or ""
    return any(part in name.rsplit("/", 1)[-1] for part in ("libvtb-", "libc.so", "libc-", "ld-linux", "libpthread", "libtsan", "linux-vdso"))


def vtb_own_frame():
    """The innermost frame of the program in the selected thread, or None."""
    try:
        frame = gdb.newest_frame()
        while frame and vtb_is_ours(frame):
            frame = frame.older()
        return frame if frame and frame.name() != "_start" else None  # main has returned
    except gdb.error:
        return None


def vtb_frame_words(frame):
    if not frame:
        return "no frame of the program"
    place = frame.find_sal()
    name = frame.name() or "?"
    return f"{name}() at {place.symtab.filename.rsplit('/', 1)[-1]}:{place.line}" if place.symtab and place.line else f"{name}()"


def vtb_select():
    """Show who reads a frame of theirs, not the runtime's."""
    frame = vtb_own_frame()
    if frame:
        frame.select()
        print(f"vtb: in {vtb_frame_words(frame)}")
        gdb.execute("frame")


def vtb_done():
    """Operations done by each thread, by path."""
    return {path: int(thread["sched"]["ops"]) for path, thread in vtb_threads()}


class VtbStop(gdb.Breakpoint):
    def __init__(self, function):
        super().__init__(function, internal=True)
        self.silent = True


class VtbDeviation(VtbStop):
    def stop(self):
        made = int(gdb.parse_and_eval("d - vtb_sched.deviations"))
        if made != vtb_known["last_deviation"]:
            return False
        gdb.post_event(lambda: vtb_say(f"right before the last deviation: {vtb_known['deviation']}"))
        return True


class VtbFailure(VtbStop):
    def stop(self):
        words = gdb.parse_and_eval("message").string()
        gdb.post_event(lambda: vtb_say(f"the run fails here: {words}"))
        return True


class VtbExit(VtbStop):
    def stop(self):
        status = int(gdb.parse_and_eval("status"))
        if int(gdb.parse_and_eval("vtb_sched.exiting")) or not (status or vtb_known["fails_at_exit"]):
            return False
        gdb.post_event(lambda: vtb_say(f"the program ends with exit status {status}"))
        return True


class VtbOperation(VtbStop):
    """For vtb-step: the next operation of any thread."""

    def __init__(self):
        super().__init__("vtb_ctl_done")
        self.enabled = False
        self.left = 0

    def stop(self):
        self.left -= 1
        if self.left > 0:
            return False
        self.enabled = False
        thread = gdb.parse_and_eval("t")
        what = f"{vtb_path(int(thread['base']['slot']))} has done its operation {int(thread['sched']['ops']) + 1}: {vtb_call_words(gdb.parse_and_eval('call'))}"
        gdb.post_event(lambda: vtb_say(what))
        return True


def vtb_say(text):
    print(f"vtb: {text}")
    vtb_select()


def vtb_call_words(call):
    return vtb_known["kinds"].get(str(int(call["kind"])), "an operation")


def vtb_alive():
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError("The program is not being run: say `run`.")
    try:
        gdb.parse_and_eval("vtb_rt.n_threads")
    except gdb.error as e:
        raise gdb.GdbError(f"The runtime cannot be looked into ({e}).")


class VtbWhere(gdb.Command):
    """vtb-where: each thread of the program, what it is at, and its innermost frame."""

    def __init__(self):
        super().__init__("vtb-where", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _tty):
        vtb_alive()
        chosen, frame = gdb.selected_thread(), gdb.selected_frame()
        running = int(gdb.parse_and_eval("(unsigned long)vtb_sched.running"))
        for path, thread in vtb_threads():
            print(self.words(path, thread, running))
        chosen.switch()
        frame.select()

    @staticmethod
    def words(path, thread, running):
        kernel = vtb_gdb_thread(thread)
        if int(thread["base"]["state"]) != 1 or not kernel:  # VTB_T_ALIVE
            return f"  {path}  has ended after {int(thread['sched']['ops'])} operations"
        kernel.switch()
        call = thread["sched"]["call"]
        at = f"before: {vtb_call_words(call)}" if int(call) else "between two operations"
        state = "runs" if int(thread.address) == running else "can go on" if int(thread["sched"]["enabled"]) or not int(call) else "waits"
        return f"{'*' if state == 'runs' else ' '} {path}  {state} (gdb's thread {kernel.num}), {int(thread['sched']['ops'])} operations done, {at}; in {vtb_frame_words(vtb_own_frame())}"


class VtbOrder(gdb.Command):
    """vtb-order [all]: the operations of the failing run in their order; `=>` is the next one."""

    def __init__(self):
        super().__init__("vtb-order", gdb.COMMAND_STATUS)

    def invoke(self, argument, _tty):
        order, left_out = vtb_known["order"], vtb_known["left_out"]
        if not order:
            raise gdb.GdbError("The file holds schedules only; a failure.json has the order.")
        vtb_alive()
        done = vtb_done()
        at = next((i for i, (path, index, _) in enumerate(order) if index > done.get(path, 0)), len(order))
        first, end = (0, len(order)) if argument == "all" else (max(0, at - VTB_ROWS // 2), min(len(order), at + VTB_ROWS // 2))
        if first:
            print(f"   ... {first} before (vtb-order all)")
        elif left_out:
            print(f"   ... {left_out} before are not listed: only the run's last {len(order)} are")
        for i in range(first, end):
            print(f"{'=>' if i == at else '  '} {left_out + i + 1:4} {order[i][0]:8} {order[i][2]}")
        if end < len(order):
            print(f"   ... {len(order) - end} more (vtb-order all)")


class VtbStep(gdb.Command):
    """vtb-step [N]: go on to the next operation (the N-th from here) of any thread."""

    def __init__(self):
        super().__init__("vtb-step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _tty):
        vtb_alive()
        vtb_stops["operation"].left = int(argument) if argument else 1
        vtb_stops["operation"].enabled = True
        gdb.execute("continue")


vtb_stops = {}


def vtb_loaded(event):
    """The runtime is there: its functions have a place to stop at, for this run and all later ones."""
    if vtb_stops or "libvtb-rt" not in event.new_objfile.filename:
        return
    vtb_stops["failure"] = VtbFailure("vtb_failure_end")
    vtb_stops["exit"] = VtbExit("vtb_ctl_is_to_end")
    if vtb_known["last_deviation"] >= 0:
        vtb_stops["deviation"] = VtbDeviation("vtb_schedule_deviated")
    vtb_stops["operation"] = VtbOperation()


def vtb_begin():
    for line in ("set debuginfod enabled off", "set confirm off", "set pagination off", "set breakpoint pending on", "set print thread-events off"):
        try:
            gdb.execute(line, to_string=True)
        except gdb.error:  # an older gdb does not know it
            pass
    for signal in ("SIGSYS", "SIGPROF", "SIG32", "SIG33", "SIG34"):  # the runtime's, and those of libc
        gdb.execute(f"handle {signal} nostop noprint pass", to_string=True)
    gdb.events.new_objfile.connect(vtb_loaded)
    VtbWhere()
    VtbOrder()
    VtbStep()
    print("vtb: stops right before the last deviation and where the run fails; vtb-where, vtb-order and vtb-step look at it")


def vtb_run():
    """What is no terminal holds commands for gdb, and no input for the program."""
    if not os.isatty(0):
        shown = gdb.execute("show args", to_string=True)  # in quotes; the parameter itself does not tell what --args has set
        gdb.execute(f"set args {shown[shown.index(chr(34)) + 1:shown.rindex(chr(34))]} </dev/null")
    gdb.execute("run")


vtb_begin()
