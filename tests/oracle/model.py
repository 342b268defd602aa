# SPDX-License-Identifier: GPL-2.0-or-later
"""Brute force on the model of a program (program.py): every interleaving of its visible operations, as docs/architecture.md
defines them; nothing is pruned but states met before.

    endings(program)  ->  {ending: (c, v)}    the lowest of all schedules that end so
    endings(program, chance=True)             also with wake-ups without a signal and other waiters than the first
    reachable(program, chance=False)          the same endings without (c, v), for larger programs
    ending: ("exit", status), ("assertion",), ("deadlock",)"""
import heapq

from program import weights

INVISIBLE = {"unless-last", "if-last", "jump", "acc", "fail-if", "mix", "keep", "save", "last-kept", "last-saved", "twice", "if-value", "unless-value",
             "if-kept", "unless-kept", "if-even", "bits"}
FUTURE, ALIVE, ENDED = range(3)


class TooLarge(Exception):
    pass


class State:
    """Everything that decides what can happen from here on. Copied before each step."""

    __slots__ = ("pc", "life", "acc", "last", "vars", "owner", "queue", "signalled", "failed", "over", "sems", "kept", "saved")

    def copy(self):
        new = State.__new__(State)
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(new, name, value.copy() if isinstance(value, (list, dict, set)) else value)
        return new

    def key(self):
        return (tuple(self.pc), tuple(self.life), tuple(self.acc), tuple(self.last), tuple(self.vars.values()), frozenset(self.owner.items()),
                tuple(self.queue), frozenset(self.signalled), self.failed, self.over, tuple(self.sems.values()), tuple(self.kept), tuple(self.saved))


def first(program):
    s, n = State(), len(program["bodies"])
    s.pc, s.life, s.acc, s.last, s.kept, s.saved = [-1] * n, [ALIVE] + [FUTURE] * (n - 1), [0] * n, [0] * n, [0] * n, [0] * n
    s.vars, s.owner, s.queue, s.signalled = dict.fromkeys(program["variables"], 0), {}, [], set()
    s.failed = s.over = False
    s.sems = dict(program["semaphores"])
    return s


def next_step(program, s, t):
    """pc -1: about to be born; past the end: about to die."""
    body = program["bodies"][t]
    return ("begin", t) if s.pc[t] < 0 else body[s.pc[t]] if s.pc[t] < len(body) else ("end", t)


def enabled(program, s, t):
    if s.life[t] != ALIVE:
        return False
    step = next_step(program, s, t)
    if step[0] == "lock":
        return step[1] not in s.owner
    if step[0] == "wr":
        return step[1] not in s.owner and not s.owner.get(("readers", step[1]))
    if step[0] in ("once", "rd"):
        return step[1] not in s.owner and not (step[0] == "rd" and writer_first(program, s, t, step[1]))
    if step[0] == "wake":
        return t in s.signalled and step[2] not in s.owner
    if step[0] == "sem-wait":
        return s.sems[step[1]] > 0
    if step[0] == "join":
        return s.life[step[1]] == ENDED
    return True


def writer_first(program, s, t, lock):
    """Does the lock prefer writers, and another thread waits for its readers that would write?"""
    if not program.get("prefers_writers") or not s.owner.get(("readers", lock)):
        return False
    others = (u for u in range(len(s.pc)) if u != t and s.life[u] == ALIVE and s.pc[u] >= 0)
    return any(next_step(program, s, u) in (("wr", lock),) or next_step(program, s, u)[:2] == ("timed-wr", lock) for u in others)


def mix(acc, r):
    return (acc * 3 + r + 1) % 101


def readers_and_writer(program, s, t, kind, step):
    """The readers are counted. With a deadline: it may be over whenever the lock is not there."""
    waits = kind == "timed-rd" and writer_first(program, s, t, step[1])
    readers = s.owner.pop(("readers", step[1]), 0)
    if kind == "rw-unlock":
        readers -= s.owner.pop(step[1], None) is None
    elif kind.startswith(("try", "timed")) and (step[1] in s.owner or waits or (kind.endswith("-wr") and readers)):
        s.pc[t] = step[2]
    elif kind.endswith("wr"):
        s.owner[step[1]] = t
    else:
        readers += 1
    if readers:
        s.owner[("readers", step[1])] = readers


def perform(program, s, t, place=0):
    """Do the visible operation of t and the invisible ones behind it. Returns the object that it is charged to."""
    step = next_step(program, s, t)
    kind, obj = step[0], step[1] if len(step) > 1 else None
    s.pc[t] += 1
    if kind in ("read", "load"):
        s.last[t] = s.vars[obj]
    elif kind == "write":
        s.vars[obj] = step[2]
    elif kind == "put":
        s.vars[obj] = s.acc[t] % 5
    elif kind == "store":
        s.vars[obj] = s.last[t] + 1
    elif kind == "put-bits":
        s.vars[obj] = s.last[t] & ~(step[3] << step[2]) | (step[4] & step[3]) << step[2]
    elif kind == "add":
        s.last[t] = s.vars[obj]
        s.vars[obj] += step[2]
    elif kind == "cas":
        s.last[t] = int(s.vars[obj] == step[2])
        s.vars[obj] = step[3] if s.last[t] else s.vars[obj]
    elif kind == "xchg":
        s.last[t], s.vars[obj] = s.vars[obj], step[2]
    elif kind == "cas-kept":
        s.last[t] = int(s.vars[obj] == s.kept[t])
        if s.last[t]:
            s.vars[obj] += step[2]
        else:
            s.kept[t] = s.vars[obj]
    elif kind == "sem-try":
        s.last[t] = int(s.sems[obj] > 0)
        s.sems[obj] -= s.last[t]
    elif kind in ("yield", "sleep"):
        pass
    elif kind in ("sem-wait", "post"):
        s.sems[obj] += 1 if kind == "post" else -1
    elif kind == "lock":
        s.owner[obj] = t
    elif kind == "unlock":
        del s.owner[obj]
    elif kind == "try":
        if obj in s.owner:
            s.pc[t] = step[2]
        else:
            s.owner[obj] = t
    elif kind == "once":
        if ("done", obj) in s.owner:
            s.pc[t] = step[2]
        else:
            s.owner[obj] = t
    elif kind == "done":
        s.owner[("done", obj)] = True
        del s.owner[obj]
    elif kind in ("rd", "wr", "try-rd", "try-wr", "timed-rd", "timed-wr", "rw-unlock"):
        readers_and_writer(program, s, t, kind, step)
    elif kind == "wait":
        s.queue.append(t)
        del s.owner[step[2]]
    elif kind == "wake":
        s.signalled.discard(t)
        s.queue = [q for q in s.queue if q != t]
        s.owner[step[2]] = t
    elif kind in ("signal", "broadcast"):
        woken = s.queue[:] if kind == "broadcast" else s.queue[place:place + 1]
        s.signalled.update(woken)
        s.queue = [q for q in s.queue if q not in woken]
    elif kind == "create":
        s.life[obj] = ALIVE
        obj = ("thread", obj)
    elif kind in ("begin", "end", "join"):
        if kind == "end":
            s.life[t] = ENDED
        elif kind == "join":
            s.last[t] = s.acc[obj]
        obj = ("thread", obj)
    elif kind == "exit":
        s.over = True
    else:
        raise ValueError(kind)
    go_on(program, s, t)
    return obj


KEEPING = {
    "keep": lambda s, t: s.kept.__setitem__(t, s.last[t]),
    "save": lambda s, t: s.saved.__setitem__(t, s.last[t]),
    "last-kept": lambda s, t: s.last.__setitem__(t, s.kept[t]),
    "last-saved": lambda s, t: s.last.__setitem__(t, s.saved[t]),
    "twice": lambda s, t: s.last.__setitem__(t, 2 * s.last[t]),
}
CONDITIONS = {
    "if-value": lambda s, t, step: s.last[t] == step[1],
    "unless-value": lambda s, t, step: s.last[t] != step[1],
    "if-kept": lambda s, t, step: s.last[t] == s.kept[t],
    "unless-kept": lambda s, t, step: s.last[t] != s.kept[t],
    "if-even": lambda s, t, step: s.last[t] % 2 == 0,
}


def go_on(program, s, t):
    body = program["bodies"][t]
    while 0 <= s.pc[t] < len(body) and body[s.pc[t]][0] in INVISIBLE:
        step = body[s.pc[t]]
        s.pc[t] += 1
        if step[0] == "mix":
            s.acc[t] = mix(s.acc[t], s.last[t])
        elif step[0] == "acc":
            s.acc[t] = mix(s.acc[t], step[1])
        elif step[0] == "jump":
            s.pc[t] = step[1]
        elif step[0] == "unless-last":
            s.pc[t] = step[1] if s.last[t] else s.pc[t]
        elif step[0] == "if-last":
            s.pc[t] = s.pc[t] if s.last[t] else step[1]
        elif step[0] == "bits":
            s.last[t] = s.last[t] >> step[1] & step[2]
        elif step[0] in KEEPING:
            KEEPING[step[0]](s, t)
        elif step[0] in CONDITIONS:
            s.pc[t] = step[-1] if CONDITIONS[step[0]](s, t, step) else s.pc[t]
        elif s.last[t] == step[1]:
            s.failed = s.over = True
            return


def status(program, s):
    by_variable, by_thread = weights(len(s.vars), program.get("direct", len(s.acc) - 1))
    if not program.get("joined", True):
        return 13 * s.acc[0] % 97
    total = 13 * s.acc[0] + sum(k * v for k, v in zip(by_variable, s.vars.values())) + sum(k * a for k, a in zip(by_thread, s.acc[1:]))
    return total % 97


def ending(program, s, can):
    if s.failed:
        return ("assertion",)
    if s.over:
        return ("exit", status(program, s))
    return None if can else ("deadlock",)


def chances(program, s, can):
    """(thread, place in the queue): what can take place by chance, each at the cost of 1 for the condition."""
    for t in can:
        if next_step(program, s, t)[0] == "signal":
            yield from ((t, place) for place in range(1, len(s.queue)))
    for t in s.queue:
        if next_step(program, s, t)[2] not in s.owner:
            yield t, 0


def endings(program, limit=40000, chance=False):
    """Cheapest first: what is taken from the heap has the lowest (c, v) with which it can be reached with these variables."""
    n = len(program["bodies"])
    found, met, tie = {}, set(), 0
    heap = [(0, 0, 0, first(program), None, frozenset(), frozenset())]
    while heap:
        c, v, _, s, running, before, charged = heapq.heappop(heap)
        key = (s.key(), running, before, charged)
        if key in met:
            continue
        met.add(key)
        if len(met) > limit:
            raise TooLarge()
        can = frozenset(t for t in range(n) if enabled(program, s, t)) if not s.over else frozenset()
        end = ending(program, s, can)
        if end:
            found.setdefault(end, (c, v))
            continue
        steps = [(t, 0, False) for t in can] + [(t, place, True) for t, place in (chances(program, s, can) if can and chance else ())]
        for t, place, by_chance in steps:
            preempts = running is not None and t != running[0] and running[0] in can and t in before
            cost = charged | {running[1]} if preempts else charged
            new = s.copy()
            obj = perform(program, new, t, place)
            cost = cost | {obj} if by_chance else cost
            tie += 1
            heapq.heappush(heap, (c + preempts + by_chance, len(cost), tie, new, (t, obj), can, cost))
    return found


def reachable(program, limit=300000, chance=False):
    """The endings alone: each state once, however it was come to. ("deadlock",), too, if a state can be reached from which no ending can: everybody
    goes round in loops for ever."""
    n = len(program["bodies"])
    start = first(program)
    found, met, left, came_from, ends = set(), {start.key()}, [start], {}, []
    while left:
        s = left.pop()
        can = frozenset(t for t in range(n) if enabled(program, s, t)) if not s.over else frozenset()
        end = ending(program, s, can)
        if end:
            found.add(end)
            ends.append(s.key())
            continue
        before = s.key()
        for t, place in [(t, 0) for t in can] + [(t, place) for t, place in (chances(program, s, can) if chance else ())]:
            new = s.copy()
            perform(program, new, t, place)
            key = new.key()
            came_from.setdefault(key, []).append(before)
            if key not in met:
                met.add(key)
                left.append(new)
        if len(met) > limit:
            raise TooLarge()
    return found if met == backwards(ends, came_from) else found | {("deadlock",)}


def backwards(states, came_from):
    """All from which one of the states can be reached."""
    found, left = set(states), list(states)
    while left:
        for key in came_from.get(left.pop(), ()):
            if key not in found:
                found.add(key)
                left.append(key)
    return found
