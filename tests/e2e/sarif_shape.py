# SPDX-License-Identifier: GPL-2.0-or-later
"""A dumb checker of SARIF 2.1.0, for what vtb writes of it: which members an object may have (sections of the standard), which it must have, and
that what refers to something refers to something that is there."""
import re
import urllib.parse

from e2e import check

# member: kind of object, [kind] a list of them, None a plain value. "!": required, "?": free.
KINDS = {
    "log": {"$schema": None, "version!": None, "runs!": ["run"]},  # 3.13
    "run": {"tool!": "tool", "originalUriBaseIds": "bases", "results": ["result"]},  # 3.14
    "tool": {"driver!": "driver"}, "driver": {"name!": None, "version": None, "rules": ["rule"]},  # 3.18, 3.19
    "rule": {"id!": None, "name": None, "shortDescription": "message", "properties": "?"},  # 3.49
    "result": {"ruleId": None, "ruleIndex": None, "level": None, "kind": None, "message!": "message", "locations": ["place"], "relatedLocations": ["place"],
               "stacks": ["stack"], "partialFingerprints": "?", "occurrenceCount": None, "codeFlows": ["codeFlow"], "properties": "?"},  # 3.27
    "message": {"text!": None}, "place": {"physicalLocation!": "physical", "message": "message"},
    "location": {"physicalLocation": "physical", "message": "message"},  # 3.28
    "physical": {"artifactLocation!": "artifact", "region": "region"}, "artifact": {"uri!": None, "uriBaseId": None},  # 3.29, 3.4
    "region": {"startLine!": None, "snippet": "message"}, "stack": {"message": "message", "frames!": ["frame"]}, "frame": {"location": "location"},  # 3.30, 3.44, 3.45
    "codeFlow": {"message": "message", "threadFlows!": ["threadFlow"]}, "threadFlow": {"id": None, "locations!": ["step"]},  # 3.36, 3.37
    "step": {"executionOrder": None, "importance": None, "location": "location"},  # 3.38
}


def shape(value, kind, where):
    if isinstance(kind, list):
        check(isinstance(value, list), f"{where} is no list")
        for i, item in enumerate(value):
            check(item != {}, f"{where}[{i}] is empty")
            shape(item, kind[0], f"{where}[{i}]")
    elif kind == "bases":
        for name, base in value.items():
            shape(base, "artifact", f"{where}.{name}")
            check(base["uri"].endswith("/"), f"{where}.{name} does not end in a slash")
    elif kind is not None and kind != "?":
        members = {name.rstrip("!"): of for name, of in KINDS[kind].items()}
        for name in KINDS[kind]:
            check(not name.endswith("!") or name[:-1] in value, f"{where} has no {name[:-1]}")
        for name in value:
            check(name in members, f"{where}: a {kind} has no member {name}")
            shape(value[name], members[name], f"{where}.{name}")


def objects(value, name):
    """All values of members called so."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == name:
                yield item
            if key != "properties":
                yield from objects(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item, name)


def check_places(run):
    for artifact in objects(run, "artifactLocation"):
        uri = artifact["uri"]
        check(re.fullmatch(r"(file://)?([A-Za-z0-9._~/+-]|%[0-9A-F]{2})+", uri), f"{uri} is no URI reference")
        if "uriBaseId" in artifact:
            check(artifact["uriBaseId"] in run["originalUriBaseIds"], f"{artifact['uriBaseId']} is nowhere")
            check(not uri.startswith(("/", "file:")), f"{uri} hangs on a base and is absolute")
    for region in objects(run, "region"):
        check(region["startLine"] >= 1, "lines begin at 1")


def orders(flow):
    return [step["executionOrder"] for step in flow["locations"]]


def check_flows(result):
    linear, threads = result["codeFlows"]
    check(len(linear["threadFlows"]) == 1, "codeFlows[0] has more than one threadFlow")
    check(orders(linear["threadFlows"][0]) == list(range(1, len(linear["threadFlows"][0]["locations"]) + 1)), "codeFlows[0] is not in order")
    ids = [flow["id"] for flow in threads["threadFlows"]]
    check(len(ids) == len(set(ids)), "two threadFlows of one thread")
    check(sorted(n for flow in threads["threadFlows"] for n in orders(flow)) == orders(linear["threadFlows"][0]), "codeFlows[1] has other steps")
    for flow in threads["threadFlows"]:
        check(orders(flow) == sorted(orders(flow)), "a thread's steps are not in order")


def check_sarif(log):
    shape(log, "log", "log")
    check(log["version"] == "2.1.0" and len(log["runs"]) == 1, "no SARIF 2.1.0 of one run")
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    check_places(run)
    for result in run["results"]:
        check(result["ruleId"] in rules, f"no rule {result['ruleId']}")
        check("ruleIndex" not in result or rules[result["ruleIndex"]] == result["ruleId"], "ruleIndex is another rule's")
        check(result["level"] in ("none", "note", "warning", "error") and result["kind"] in ("fail", "review"), "level or kind")
        check(result["message"]["text"].strip(), "no message")
        if result["kind"] == "fail" and result["ruleId"] != "unlocked-access":  # which is two places, and no run
            check_flows(result)


def user_files(log, base):
    """Paths of all that results and steps point to."""
    for artifact in objects(log["runs"][0]["results"], "artifactLocation"):
        path = urllib.parse.unquote(artifact["uri"])
        yield path[len("file://"):] if path.startswith("file://") else f"{base}/{path}"
