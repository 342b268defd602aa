#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""decode_forms.py BIN SOURCE: a capture of a real processor in every form that perf writes gives the same trace, and none without the program that was recorded.

The capture is kept outside the project ($VTB_PT_TRACES, else ../shared/pt-traces beside the source); it is recorded plainly,
and rewritten here: compressed, as a directory, both, and through a pipe.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

KERNEL = 64  # types of records below are the kernel's, which perf compresses and its threads write
BUILD_ID, AUXTRACE, COMPRESSED, HEADER_ATTR, HEADER_FEATURE = 67, 71, 81, 64, 80
PIECE = 3000


def records(data):
    """(type, bytes), the trace behind an AUXTRACE record with it."""
    start, size = struct.unpack("<2Q", data[40:56])
    at = start
    while at < start + size:
        kind, _, length = struct.unpack("<IHH", data[at:at + 8])
        length += struct.unpack("<Q", data[at + 8:at + 16])[0] if kind == AUXTRACE else 0
        yield kind, data[at:at + length]
        at += length


def features(data):
    """The bits set in the header, in order, and the table of where their sections lie, which is behind the records."""
    bits = [bit for bit in range(256) if data[72 + bit // 8] >> bit % 8 & 1]
    at = sum(struct.unpack("<2Q", data[40:56]))
    return bits, data[at:at + 16 * len(bits)]


def rebuilt(data, body):
    """The file with other records: behind all that was there, so that no other offset changes."""
    return data[:40] + struct.pack("<2Q", len(data), len(body)) + data[56:] + body + features(data)[1]


def compressed(raw):
    packed = subprocess.run(["zstd", "-q", "-c"], input=raw, stdout=subprocess.PIPE, check=True).stdout
    return b"".join(struct.pack("<IHH", COMPRESSED, 0, 8 + len(packed[at:at + PIECE])) + packed[at:at + PIECE]
                    for at in range(0, len(packed), PIECE))


def split(data):
    own = b"".join(r for kind, r in records(data) if kind >= KERNEL and kind != AUXTRACE)
    return own, [r for kind, r in records(data) if kind < KERNEL], b"".join(r for kind, r in records(data) if kind == AUXTRACE)


def as_pipe(data):
    entry, at, size = struct.unpack("<3Q", data[16:40])
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for place in range(at, at + size, entry):
        ids, length = struct.unpack("<2Q", data[place + entry - 16:place + entry])
        body = data[place:place + entry - 16] + data[ids:ids + length]
        out += struct.pack("<IHH", HEADER_ATTR, 0, 8 + len(body)) + body
    bits, table = features(data)
    for bit, (place, length) in zip(bits, struct.iter_unpack("<2Q", table)):
        out += struct.pack("<IHHQ", HEADER_FEATURE, 0, 16 + length, bit) + data[place:place + length]
    return out + b"".join(r for _, r in records(data))


def write_forms(data, place):
    own, kernel, trace = split(data)
    forms = {"plain": rebuilt(data, b"".join(r for _, r in records(data))), "z": rebuilt(data, own + compressed(b"".join(kernel)) + trace),
             "pipe": as_pipe(data)}
    for name, content in forms.items():
        with open(f"{place}/{name}", "wb") as out:
            out.write(content)
    for name, pack in ("threads", bytes), ("threads-z", compressed):
        os.mkdir(f"{place}/{name}")
        for part, content in ("data", rebuilt(data, own)), ("data.0", pack(b"".join(kernel[1::2]))), ("data.1", pack(b"".join(kernel[0::2])) + trace):
            with open(f"{place}/{name}/{part}", "wb") as out:
                out.write(content)


def decode(command, place, **how):
    """Exit code, complaints, the trace's bytes, and what was decoded: instructions, threads, where it began."""
    run = subprocess.run([command, "--json", "-o", f"{place}/trace.json", *how.pop("args")], check=False, capture_output=True, text=True, **how)
    with open(f"{place}/trace.json", "rb") as trace:
        return run.returncode, run.stderr, trace.read(), json.loads(run.stdout)["pt"]


def recorded_build(path):
    """The record by which perf says which build it was."""
    body = struct.pack("<i", 0) + bytes(range(20)) + bytes(4) + path + b"\0"
    return struct.pack("<IHH", BUILD_ID, 0, 8 + len(body)) + body


def refused(command, place, capture, put, words):
    """What is put where the program is to be found is not decoded: a line says why, and the exit code is 3."""
    os.makedirs(f"{place}/sym", exist_ok=True)
    if put is not None:
        with open(f"{place}/sym/control_flow", "wb") as file:
            file.write(put)
    os.environ["VTB_SYMFS"] = f"{place}/sym"
    code, said, _, pt = decode(command, place, args=[capture])
    assert code == 3 and f"control_flow {words}" in said and pt["instructions"] == 0, (words, code, said, pt)


def refuses_other_files(command, place, capture, program):
    with open(program, "rb") as file:
        code = file.read()
    with open(capture, "rb") as file:
        data = file.read()
    mapped = re.search(rb"/[\w/.-]*/control_flow(?=\0)", data)[0]
    refused(command, place, capture, None, "is not there, or cannot be read")
    refused(command, place, capture, code[:4] + b"\1" + code[5:], "is no 64-bit program of this machine")
    with open(f"{place}/told", "wb") as file:
        file.write(rebuilt(data, b"".join(bytes for _, bytes in records(data)) + recorded_build(mapped)))
    refused(command, place, f"{place}/told", code, "is another build than the recorded one, by its build-id")


def main():
    command, source = f"{sys.argv[1]}/vtb-decode", sys.argv[2]
    captures = os.environ.get("VTB_PT_TRACES", f"{source}/../shared/pt-traces")
    capture = f"{captures}/hase-control-flow/perf.data.1"
    if not os.path.exists(capture):
        sys.exit(77)
    os.environ["VTB_SYMFS"] = f"{captures}/hase-control-flow"
    with open(capture, "rb") as file, tempfile.TemporaryDirectory() as place:
        write_forms(file.read(), place)
        wanted = decode(command, place, args=[capture])
        assert wanted[3]["instructions"] > 900 and not wanted[3]["errors"], wanted
        forms = ["plain", "z", "pipe", "threads", "threads-z"]
        for form in forms:
            assert decode(command, place, args=[f"{place}/{form}"]) == wanted, form
        for form in forms[:3]:
            with subprocess.Popen(["cat", f"{place}/{form}"], stdout=subprocess.PIPE) as cat:
                assert decode(command, place, args=["-"], stdin=cat.stdout) == wanted, form
        refuses_other_files(command, place, capture, f"{captures}/hase-control-flow/control_flow")
        print(f"{len(forms)} forms by name, 3 through a pipe: the same {wanted[3]['instructions']} instructions")


main()
