#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rebuild.py BIN_DIR SOURCE_DIR PROGRAM CC: a schedule found on one build fails the next builds too, after lines were added
above, inside and below the functions concerned; and a changed place is reported, not guessed."""
import os

from e2e import Place, check, main, need


def after(text, anchor, added):
    check(text.count(anchor) == 1, f"the anchor {anchor!r} is not unique in the program")
    return text.replace(anchor, anchor + added)


EDITS = {
    "above": lambda s: after(s, "#include <stdio.h>\n", "\n/* Three lines\n * of comment. */\nint not_used(void)\n{\n\treturn 3;\n}\n"),
    "inside": lambda s: after(s, "static void deposit(long amount)\n{\n", "\t/* A remark,\n\t * inside. */\n"),
    "between": lambda s: after(s, "long seen = account.balance;\n", "\n\t/* Between the two accesses. */\n"),
    "below": lambda s: after(s, "static void *pay_interest(void *arg)\n{\n", "\t/* Below. */\n\n"),
    "main": lambda s: after(s, "\tpthread_t wages, interest;\n", "\n\t/* In main. */\n"),
    "all": lambda s: EDITS["below"](EDITS["between"](EDITS["inside"](EDITS["above"](s)))),
}


def compile_program(place, compiler, text, name):
    with open(place.path(name + ".c"), "w") as f:
        f.write(text)
    place.run(compiler, "-std=gnu11", "-g", "-O1", "-fsanitize=thread", "-o", name, name + ".c", "-pthread", expect=0)


def told(place, program):
    """The same build, without a build-id, and by the two commands that hunt around a failure."""
    ran = place.run("vtb-replay", "failure.json", "--", program, timeout=60, expect=1)
    check("build of the program is the one recorded, by its build-id" in ran.out, "the recorded build is not called so", ran)
    place.run("objcopy", "--remove-section=.note.gnu.build-id", program, place.path("nameless"), expect=0)
    ran = place.run("vtb-replay", "--json", "failure.json", "--", place.path("nameless"), timeout=60)
    check(ran.json()["build"] in ("other", "unknown"), "a build without an id is called the same", ran)
    ran = place.run("vtb", "hunt", "--json", "--verify-fix=failure.json", "--time=300", "--", program, expect=1)
    check(ran.json()["fix"]["build"] == "same", "--verify-fix: the recorded build is not called so", ran)


def triaged(place, compiler, original):
    """A recording of one build, told of this one, of another, and of one that nobody can tell."""
    check(original.count("== 105") == 1, "the assertion is not what it was")
    always = original.replace("== 105", "== 1050")
    compile_program(place, compiler, always, "always")
    compile_program(place, compiler, EDITS["above"](always), "later")
    place.run("objcopy", "--remove-section=.note.gnu.build-id", place.path("always"), place.path("unnamed"), expect=0)
    place.run("vtb-record", "-o", "failed.vtb", "--", place.path("always"), timeout=60)
    for name, words in (("always", "the one recorded, by its build-id"), ("later", "not the one recorded: the build-ids differ"),
                        ("unnamed", "not the one recorded")):
        ran = place.run("vtb-triage", "--time=20", "--budget=20", "failed.vtb", "--", place.path(name), timeout=90)
        check(words in " ".join(ran.out.split()), f"triage does not say of {name}: {words}", ran)
    ran = place.run("vtb-triage", "--json", "--time=20", "--budget=20", "failed.vtb", timeout=90)
    check(ran.code == 2 and "--run" in ran.err, "the command that a recording names is run without a word", ran)
    ran = place.run("vtb-triage", "--run", "--time=20", "--budget=20", "failed.vtb", timeout=90)
    check("the one recorded, by its build-id" in " ".join(ran.out.split()), "the recorded build is not called so", ran)


def test(bin_dir, source, program, compiler):
    need(program)
    with open(os.path.join(source, "data/corpus/account/prog.c")) as f:
        original = f.read()
    with Place(bin_dir) as place:
        place.run("vtb", "hunt", "--seed=1", "--", program, expect=1)
        told(place, program)
        triaged(place, compiler, original)
        for name, edit in EDITS.items():
            compile_program(place, compiler, edit(original), name)
            ran = place.run("vtb-replay", "failure.json", "--", place.path(name), timeout=60)
            check("build of the program is not the one recorded" in ran.out, "another build is not called so", ran)
            check(ran.code == 1, f"after lines were added ({name}) the schedule does not fail any more", ran)
        fixed = original.replace("long seen = account.balance;\n\n\taccount.balance = seen + amount;", "__atomic_fetch_add(&account.balance, amount, __ATOMIC_SEQ_CST);")
        check(fixed != original, "the repair of the program did not apply")
        compile_program(place, compiler, fixed, "fixed")
        ran = place.run("vtb-replay", "failure.json", "--", place.path("fixed"), timeout=60)
        check(ran.code in (0, 3), "the repaired program still fails", ran)
        if ran.code == 0:
            check("diverged" not in ran.out, "a run that left the schedule counts as passed", ran)
        check("deposit" in ran.out + ran.err or ran.code == 0, "the changed place is not named", ran)


main(test)
