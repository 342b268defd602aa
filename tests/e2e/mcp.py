#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mcp.py BIN_DIR PROGRAM: a scripted client talks to `vtb mcp`: it agrees on a revision, lists the tools, hunts PROGRAM, has the failure explained and replayed, asks
whether it is fixed; then it sends what is no request, and the server goes on. The command of a file is not run unasked. Answers are one line each and bounded."""
import json
import subprocess

from e2e import Place, check, main, need

TEXT_MAX = 24000 + 200


class Client:
    def __init__(self, place):
        self.server = subprocess.Popen(["vtb", "mcp"], cwd=place.dir, env=place.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def say(self, line):
        self.server.stdin.write(line + b"\n")
        self.server.stdin.flush()

    def hear(self):
        answer = json.loads(self.server.stdout.readline())
        check(answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer), f"no answer of JSON-RPC: {answer}")
        return answer

    def ask(self, method, **params):
        self.number += 1
        self.say(json.dumps({"jsonrpc": "2.0", "id": f"n{self.number}", "method": method, "params": params}).encode())
        answer = self.hear()
        check(answer["id"] == f"n{self.number}", f"answers {answer['id']}")
        return answer

    def call(self, tool, status, **arguments):
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        check(result["structuredContent"]["status"] == status, f"{tool}: status {result['structuredContent']}, expected {status}: {text}")
        check(result["isError"] == (status not in (0, 1)) and len(text.encode()) <= TEXT_MAX, f"{tool}: {result['isError']}, {len(text)} characters")
        return text

    def end(self):
        self.server.stdin.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')  # and no end of the line
        self.server.stdin.close()
        check(self.hear()["id"] == "last", "a last line without an end is not answered")
        check(self.server.wait(timeout=20) == 0, "does not end well with its input")


def peak(pid):
    """Megabytes that it has held at most."""
    with open(f"/proc/{pid}/status") as f:
        return int(next(line for line in f if line.startswith("VmHWM")).split()[1]) // 1024


def hostile(client):
    """What no well-meaning client sends: each is answered, once, and the next request is, too."""
    call = lambda **more: json.dumps({"jsonrpc": "2.0", **more}).encode()
    ping = call(id=1, method="ping")
    for line, code in ((b"\xff\xfe\x00", -32700), (b"{}" * 3, -32700), (b"[" * 100000, -32700), (b'{"a":' * 5000 + b"1" + b"}" * 5000, -32700), (b"x" * (40 << 20), -32600),
                       (b"[]", -32600), (b"[ ]", -32600), (call(id=2, method=3), -32600), (call(id=2, method="tools/call"), -32602),
                       (call(id=2, method="tools/call", params=[1]), -32600), (call(id=2, method="initialize" * 90000), -32601)):
        client.say(line)
        answer = client.hear()
        check(answer["error"]["code"] == code, f"{line[:60]}: {answer}")
        client.say(b"")
        client.say(ping)
        check(client.hear() == {"jsonrpc": "2.0", "id": 1, "result": {}}, f"no answer after {line[:60]}")
    check(peak(client.server.pid) < 40, f"it holds {peak(client.server.pid)} MB for a long line")
    note = call(method="notifications/x")
    client.say(b" [" + ping + b" , " + note + b',3,[' + ping + b'],' + call(id='],"[{\\"', method="none") + b"]")
    answers = json.loads(client.server.stdout.readline())
    check([(a["id"], a.get("error", {}).get("code")) for a in answers] == [(1, None), (None, -32700), (None, -32600), ('],"[{\\"', -32601)], f"of a batch: {answers}")
    client.say(b"[" + note + b"," + note + b"]")
    check(client.ask("ping")["result"] == {}, "an answer to notifications")
    check(client.ask("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] == "2025-03-26", "any revision is agreed to")


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        client = Client(place)
        began = client.ask("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo={"name": "a test"})["result"]
        check(began["protocolVersion"] == "2024-11-05" and "tools" in began["capabilities"], f"began with {began}")
        client.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        tools = {tool["name"]: tool["inputSchema"] for tool in client.ask("tools/list")["result"]["tools"]}
        check(sorted(tools) == ["explain", "hunt", "replay", "verify-fix"] and all(schema["type"] == "object" for schema in tools.values()), f"tools {tools}")
        check("BUG" in client.call("hunt", 1, command=[program], seconds=30, directory="out"), "hunt tells of no bug")
        check("BUG" in client.call("explain", 0, failure="out/failure.json"), "explain tells of no failure")
        check("1 confirmed" in client.call("replay", 1, failure="out/failure.json", run_recorded_command=True), "it does not replay")
        check("1 confirmed" in client.call("replay", 1, failure="out/failure.json", command=[program]), "it does not replay")
        check("--run" in client.call("replay", 2, failure="out/failure.json"), "a file's command is run unasked")
        client.call("verify-fix", 1, failure="out/failure.json", command=[program], seconds=20)
        client.call("explain", 2, failure="out/none.json")
        for line, code in ((b"{", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":1}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":"none"}', -32601)):
            client.say(line)
            answer = client.hear()
            check(answer["error"]["code"] == code, f"{line}: {answer}")
        hostile(client)
        check(client.ask("tools/call", name="none")["error"]["code"] == -32602, "a tool that is none")
        for arguments in ({}, {"command": "text"}, {"command": [1]}, {"command": [program], "seconds": "x"}):
            check(client.ask("tools/call", name="hunt", arguments=arguments)["error"]["code"] == -32602, f"hunt takes {arguments}")
        check(client.ask("ping")["result"] == {}, "it does not go on")
        client.end()
        place.none_left()


main(test)
