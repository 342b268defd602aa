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
        self.server.stdin.close()
        check(self.server.wait(timeout=20) == 0, "does not end well with its input")


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
        check(client.ask("tools/call", name="none")["error"]["code"] == -32602, "a tool that is none")
        for arguments in ({}, {"command": "text"}, {"command": [1]}, {"command": [program], "seconds": "x"}):
            check(client.ask("tools/call", name="hunt", arguments=arguments)["error"]["code"] == -32602, f"hunt takes {arguments}")
        check(client.ask("ping")["result"] == {}, "it does not go on")
        client.end()
        place.none_left()


main(test)
