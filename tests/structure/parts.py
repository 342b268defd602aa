# SPDX-License-Identifier: GPL-2.0-or-later
"""What each room of the runtime keeps of a thread: one member of struct vtb_rt_thread a room, declared in ROOM_thread.h as plain data; a
room touches its own and those of rooms that it uses. The header that puts them together is the only one above the rooms."""
import os
import re

from tree import Finding, includes

TOP = os.path.join("runtime", "thread.h")
INTO = os.path.join("runtime", "base", "rt.h")  # which lets everybody see the whole


def rooms_of(tree):
    return {library.name: library for library in tree.libraries().values() if library.room}


def part(room):
    return f"{room}/{room}_thread.h"


def top(tree, rooms):
    """One include and one member for each room, nothing else."""
    found = {name for _, name, _ in includes(tree, TOP)}
    members = set(re.findall(r"^\tstruct (\w+ \w+);", tree.text(TOP), re.M))
    lines = len(re.findall(r"^\t\S.*;", tree.text(TOP), re.M))
    for room in rooms:
        if part(room) not in found or f"vtb_{room}_thread {room}" not in members:
            yield Finding(f"parts {room}", 1, TOP, 1, f"has no member {room}: include {part(room)}, add its struct")
    if len(found) > len(rooms) or lines > len(rooms):
        yield Finding("parts top", 1, TOP, 1, "holds more than a member a room: move it into the room's own struct")


def plain(tree, rooms):
    """Plain data includes plain data of base: headers that include none of ours."""
    for room in rooms:
        path = os.path.join("runtime", part(room))
        for number, name, foreign in includes(tree, path) if path in tree.files else []:
            used = os.path.join("runtime", "base", name)
            if not foreign and (used not in tree.files or not all(f for _, _, f in includes(tree, used))):
                yield Finding(f"parts {room}", 1, path, number, f'"{name}" is not plain data of base: only name its structs')


def touched(tree, rooms):
    use = re.compile(r"(?:->|\]\.)(" + "|".join(rooms) + r")\.\w")
    for room, library in rooms.items():
        for path in tree.code(["runtime"]):
            if not path.startswith(os.path.join(library.folder, "")):
                continue
            for number, line in tree.lines(path):
                for other in use.findall(line):
                    if other != room and other not in library.uses:
                        yield Finding(f"parts {room} {other}", 1, path, number, f"{room} touches what {other} keeps of a thread, which it does not use: move the member down, or ask by a table")


def up(tree):
    """Nobody else leaves the rooms that the include path shows."""
    for path in tree.code(["runtime"]):
        for number, name, _ in includes(tree, path):
            if name.startswith("..") and (path, name) != (INTO, "../thread.h"):
                yield Finding("parts up", 1, path, number, f'"{name}" goes around USES: include it by its name')


def check(tree):
    rooms = rooms_of(tree)
    if TOP not in tree.files:
        yield Finding("parts top", 1, TOP, 1, "is not there: it puts together what the rooms keep of a thread")
        return
    yield from top(tree, rooms)
    yield from plain(tree, rooms)
    yield from touched(tree, rooms)
    yield from up(tree)
