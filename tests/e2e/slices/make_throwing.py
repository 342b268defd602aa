# SPDX-License-Identifier: GPL-2.0-or-later
"""Random C++ programs: those of make_program.py that throw, catch by type, throw again, and have destructors that store."""
from make_program import Program

TYPES = """
#include <stdexcept>

struct small { int value; };
struct owned { int *at; int value; ~owned(); };
struct scope { int *at; int by; ~scope() noexcept(false); };
"""
DESTRUCTORS = """
owned::~owned()
{
	*at = (value) + P[%d];
}

scope::~scope() noexcept(false)
{
	*at = (by + g1) + P[%d];
}
"""


class Throwing(Program):
    def thrown(self, inside):
        value = self.value(inside, 1)
        to = self.pick("&g0", "&g2", "&g5", "&a0[3]")
        return self.pick(f"small{{ (int){value} }}", f"(int)({value})", f"(long)({value})", f"owned{{ {to}, (int){value} }}", 'std::runtime_error("thrown")')

    def handler(self, inside, depth, tabs):
        caught = self.pick("const small &e", "int e", "const owned &e", "const std::exception &", "...", "...")
        given = {"const small &e": "e.value", "int e": "e", "const owned &e": "e.value"}.get(caught, "1")
        given += f" + {self.pick('v0', 'v1', 'v2', 'w[1]')}" if inside else ""
        k = self.stores
        self.stores += 1
        out = [f"{tabs}}} catch ({caught}) {{", f"{tabs}\t{self.place(inside)} = ({given}) + P[{k}];"] + self.block(inside, depth, tabs + "\t", 1)
        return out + ([f"{tabs}\tif ({self.condition(inside)})", f"{tabs}\t\tthrow;"] if inside and self.rng.random() < 0.3 else [])

    def statement(self, inside, depth, tabs):
        r = self.rng.random()
        if r < 0.06 and inside:
            return [f"{tabs}if ({self.condition(inside)})", f"{tabs}\tthrow {self.thrown(inside)};"]
        if r < 0.14 and depth > 0:
            out = [f"{tabs}try {{"]
            if inside:
                k = self.stores
                self.stores += 1
                out += [f"{tabs}\t{self.pick('v0', 'v1', 'v2', 'w[1]')} = ({self.value(inside)}) + P[{k}];"]
            out += self.block(inside, depth - 1, tabs + "\t")
            for _ in range(self.rng.randint(1, 2)):
                out += self.handler(inside, depth - 1, tabs)
                if "(...)" in "".join(out):
                    break
            return out + [f"{tabs}}}"]
        if r < 0.19 and depth > 0 and inside:
            to = self.pick("&g0", "&g3", "&v1", "&a1[2]", "p")
            out = [f"{tabs}{{", f"{tabs}\tscope last = {{ {to}, (int){self.value(inside, 1)} }};"]
            return out + self.block(inside, depth - 1, tabs + "\t") + [f"{tabs}}}"]
        return super().statement(inside, depth, tabs)

    def text(self):
        text = super().text()
        k = self.stores
        text = text.replace("volatile int P[%d];" % (k + 1), "volatile int P[%d];" % (k + 3)).replace("hp = calloc", "hp = (int *)calloc")
        text = text.replace("int *n = arg;", "int *n = (int *)arg;").replace("__attribute__((noinline)) void check", 'extern "C" __attribute__((noinline)) void check')
        text = text.replace("#include <string.h>\n", "#include <string.h>\n" + TYPES, 1)
        text = text.replace("static int budget", DESTRUCTORS % (k, k + 1) + "static int budget", 1)
        # What nobody catches ends a program by a crash, which is of no kind that is looked at.
        text = text.replace("\tg3 = *n;\n", "\tg3 = *n;\n\ttry {\n", 1).replace("&s1, 3);\n}\n", "&s1, 3);\n\t} catch (...) {\n\t\treturn NULL;\n\t}\n}\n", 1)
        return text.replace("\thp = (int", "\ttry {\n\thp = (int", 1).replace("\treturn 0;\n}\n", "\t} catch (...) {\n\t\treturn 3;\n\t}\n\treturn 0;\n}\n")
