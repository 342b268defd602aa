# SPDX-License-Identifier: GPL-2.0-or-later
"""Random C programs. Each store to an int adds P[k] on a line of its own, so that a run can change just that value."""
import random

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volatile int P[%d];
struct pair { int x, y, z[4]; struct pair *next; };
static int g0, g1 = 3, g2, g3 = 7, g4, g5, a0[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, a1[8];
int g6, g7 = 2;
static unsigned char c0, c1 = 5;
static long l0, l1 = 9;
static double d0 = 1.5;
static __thread int t0;
static struct pair s0, s1 = { 1, 2, { 3, 4, 5, 6 }, &s0 };
static int *p0 = &g4, *p1 = a1, *hp;
static int (*fp)(int, int, int *, struct pair *, int);

__attribute__((noinline)) void check(int id, int value)
{
	printf("check %%d %%d\\n", id, value);
}
"""

MAIN = """
int main(int argc, char **argv)
{
	hp = calloc(8, sizeof(*hp));
	if (argc > 2)
		P[atoi(argv[1])] = atoi(argv[2]);
%s
	return 0;
}
"""

INTS = ["g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "c0", "c1", "l0", "l1", "t0", "s0.x", "s0.y", "s1.x", "s1.z[2]"]


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.stores = 0
        self.checks = 0
        self.functions = self.rng.randint(2, 5)
        self.asserts = 0
        self.ints = self.rng.sample(INTS, self.rng.randint(4, len(INTS)))
        # Programs without some of these have more that cannot matter.
        self.has = {name: self.rng.random() < 0.4 for name in ("pointers", "structs", "heap", "fp", "ends", "many")}
        self.most = 12 if self.has["many"] else 2

    def condition(self, inside):
        return f"(({self.value(inside, 1)}) & {self.pick(1, 1, 2, 3)})" + self.pick("", " == 1")

    def pick(self, *of):
        return self.rng.choice(of)

    def place(self, inside):
        r = self.rng
        local = ["v0", "v1", "v2"] if inside else []
        if not self.has["structs"]:
            structs = lambda: r.choice(self.ints)  # noqa: E731
        else:
            structs = lambda: self.pick("q->x", "q->y", "q->z[1]", "s1.next->x") if inside else "g1"  # noqa: E731
        kinds = [lambda: r.choice(self.ints), lambda: r.choice(self.ints), lambda: r.choice(local or self.ints), lambda: r.choice(local or self.ints),
                 lambda: f"a{r.randint(0, 1)}[{r.randint(0, 7)}]", lambda: f"a{r.randint(0, 1)}[({self.value(inside, 1)}) & 7]",
                 lambda: f"*p{r.randint(0, 1)}" if self.has["pointers"] else r.choice(self.ints),
                 lambda: f"hp[({self.value(inside, 1)}) & 7]" if self.has["heap"] else r.choice(self.ints),
                 lambda: f"w[({self.value(inside, 1)}) & 3]" if inside else "g2", lambda: "*p" if inside and self.has["pointers"] else "g5", structs]
        return r.choice(kinds)()

    def value(self, inside, depth=2):
        r = self.rng
        if depth <= 0 or r.random() < 0.25:
            return self.pick(str(r.randint(-3, 9)), r.choice(self.ints), r.choice(["a", "b", "v0", "v1"] if inside else self.ints))
        if r.random() < 0.25:
            return f"(int){self.place(inside)}" if depth > 1 else r.choice(self.ints)
        x, y = self.value(inside, depth - 1), self.value(inside, depth - 1)
        form = self.pick("{} + {}", "{} - {}", "{} * {}", "{} ^ {}", "{} & {}", "{} > {}", "{} == {}", "{} / ((({}) & 3) + 1)",
                         "{} % ((({}) & 7) + 1)", "(({}) & 15) << (({}) & 3)", "{} < 3 && {} > 0", "{} || {}")
        return "(" + form.format(f"({x})", f"({y})") + ")"

    def store(self, inside, tabs):
        k = self.stores
        self.stores += 1
        return [f"{tabs}{self.place(inside)} = ({self.value(inside)}) + P[{k}];"]

    def call(self, inside):
        f = self.rng.randrange(self.functions)
        name = self.pick(f"f{f}", f"f{f}", "fp" if self.has["fp"] else f"f{f}", "wide") if inside else f"f{f}"
        a, b = self.value(inside, 1), self.value(inside, 1)
        fuel = "fuel - 1" if inside else "4"
        if name == "wide":
            return f"wide({a}, {b}, 1, g0, 2, g1, {self.value(inside, 1)}, v0)"
        p = self.pick("&g0", "&g5", "&a0[2]", "&s0.x", "hp") if not inside else self.pick("&v1", "&g3", "p", "&w[1]", "&g5")
        return f"{name}({a}, {b}, {p}, {self.pick('&s0', '&s1', 's1.next')}, {fuel})"

    def pointer(self, inside):
        to = self.pick("&g4", "&g6", "&a0[(%s) & 7]" % self.value(inside, 1), "&s0.y", "&s1.z[1]", "hp", "a1")
        other = self.pick("&g2", "p0", "p1", "&s0.x")
        return f"p{self.rng.randint(0, 1)} = {self.condition(inside)} ? {to} : {other};"

    def statement(self, inside, depth, tabs):
        r = self.rng.random()
        more = tabs + "\t"
        if r < 0.34:
            return self.store(inside, tabs)
        if r < 0.43 and depth > 0:
            out = [f"{tabs}if ({self.condition(inside)}) {{"] + self.block(inside, depth - 1, more)
            if self.rng.random() < 0.5:
                out += [f"{tabs}}} else {{"] + self.block(inside, depth - 1, more)
            return out + [f"{tabs}}}"]
        if r < 0.50 and depth > 0:
            i = f"i{depth}"
            out = [f"{tabs}for (int {i} = 0; {i} < {self.pick('3', '(' + self.value(inside, 1) + ') % 4')}; {i}++) {{"]
            out += self.block(inside, depth - 1, more)
            if self.rng.random() < 0.5:
                out += [f"{more}if ({self.condition(inside)})", f"{more}\t{self.pick('break', 'continue')};"]
            return out + [f"{tabs}}}"]
        if r < 0.55 and depth > 0:
            out = [f"{tabs}switch (({self.value(inside)}) & 7) {{"]
            for c in range(6):
                out += [f"{tabs}case {c}:"] + self.block(inside, 0, more, 1) + ([f"{more}break;"] if self.rng.random() < 0.8 else [])
            return out + [f"{tabs}default:"] + self.block(inside, 0, more, 1) + [f"{more}break;", f"{tabs}}}"]
        if r < 0.65:
            k = self.stores
            self.stores += 1
            return [f"{tabs}{self.place(inside)} = {self.call(inside)} + P[{k}];"]
        if r < 0.72:
            return [tabs + self.pointer(inside)]
        if r < 0.76:
            return [tabs + self.pick("s0 = s1, s0.next = &s1;", "memcpy(a0, a1, sizeof(a0));", "memset(a1, g1, sizeof(a1));",
                                     "memmove(hp, a0, 16);", "a1[3] = (int)strlen(\"abc\");", "d0 = d0 * g1 + 0.5;", "g2 = (int)d0;",
                                     "g5 = __atomic_add_fetch(&g6, 1, __ATOMIC_SEQ_CST);", "__atomic_store_n(&g7, g1, __ATOMIC_SEQ_CST);")]
        if r < 0.80:
            return [f"{tabs}fp = {self.condition(inside)} ? f{self.rng.randrange(self.functions)} : f{self.rng.randrange(self.functions)};"]
        if r < 0.85 and inside:
            return [f"{tabs}if ({self.condition(inside)})", f"{tabs}\treturn {self.value(inside)};"]
        if r < 0.865 and inside and self.has["ends"]:
            return [f"{tabs}if (({self.value(inside)}) == {self.rng.randint(20, 90)})", f"{tabs}\texit(0);"]
        if r < 0.945 and self.asserts < self.most:
            self.asserts += 1
            return [f"{tabs}assert((({self.value(inside)}) & 7) != {self.rng.randint(-1, 9)});"]
        if r < 0.99 and self.checks < self.most:
            self.checks += 1
            return [f"{tabs}check({self.checks}, {self.value(inside)});"]
        return self.store(inside, tabs)

    def block(self, inside, depth, tabs, n=None):
        out = []
        for _ in range(n or self.rng.randint(1, 3)):
            out += self.statement(inside, depth, tabs)
        return out

    def function(self, k):
        return [f"{self.pick('static ', '', '__attribute__((noinline)) ')}int f{k}(int a, int b, int *p, struct pair *q, int fuel)", "{",
                "\tint v0 = a, v1 = b, v2 = 0, w[4] = { a, b, 1, 2 };", "\tstatic int kept;", "", "\tif (fuel <= 0 || --budget <= 0)",
                "\t\treturn a + v2;", "\tkept += a;"] + self.block(True, 2, "\t", self.rng.randint(3, 7)) + [
                    f"\treturn {self.value(True)} + kept * {self.pick('0', '1')};", "}"]

    def text(self):
        heads = [f"int f{k}(int, int, int *, struct pair *, int);" for k in range(self.functions)]
        bodies = ["static int budget = 400;", *heads, "static int wide(int a, int b, int c, int d, int e, int f, int g, int h)", "{",
                  "\tg4 = g;", "\treturn a + c * h;", "}"]
        for k in range(self.functions):
            bodies += [""] + self.function(k)
        thread = ["", "static void *work(void *arg)", "{", "\tint *n = arg;", "", "\tg3 = *n;",
                  f"\treturn (void *)(long)f{self.rng.randrange(self.functions)}(g3, 2, n, &s1, 3);", "}"]
        main = ["\tfp = f0;", "\tpthread_t t;", "\tvoid *r;"] + self.block(False, 1, "\t", 4)
        main += ["\tpthread_create(&t, NULL, work, &g1);", "\tpthread_join(t, &r);", "\tg2 = (int)(long)r;"] + self.block(False, 1, "\t", 6)
        main += [f"\tcheck(9, {self.rng.choice(self.ints)});", f"\tassert((({self.rng.choice(self.ints)}) & 7) != {self.rng.randint(0, 7)});"]
        bodies = [line.replace("static int f", "int f") for line in bodies]
        return HEAD % (self.stores + 1) + "\n".join(bodies + thread) + MAIN % "\n".join(main)
