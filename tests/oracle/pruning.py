# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs whose failures come about indirectly: assertions on values that went through other threads, arrays and pointers, under
branches, loops, locks and conditions; and much that no failure depends on. C text only: what vtb sees without pruning is the model."""
import random

HEAD = "".join(f"#include <{name}.h>\n" for name in "assert pthread stdatomic stdlib".split())
CELLS = "x y z".split()


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.n = seed
        self.n_threads = self.rng.choice((2, 2, 2, 3))
        self.name = f"p{seed}"
        self.lines = []
        self.depth = 0
        self.locked = None
        self.waits = self.rng.random() < 0.2
        self.heap = self.rng.random() < 0.25  # a block that one thread frees, whoever still uses it

    def emit(self, text):
        self.lines.append("\t" * (self.depth + 1) + text)

    def cell(self):
        """Something shared that can be read and written."""
        k = self.rng.randrange(12 if self.heap else 10)
        if k >= 10:
            return f"{self.name}_h[{self.rng.randrange(2)}]"
        if k < 6:
            return f"{self.name}_{self.rng.choice(CELLS)}"
        if k < 7:
            return f"{self.name}_a[{self.rng.randrange(3)}]"
        if k < 8:
            return f"{self.name}_a[{self.name}_{self.rng.choice('xy')} & 3]"
        if k < 9:
            return f"*{self.name}_p"
        return f"{self.name}_s.{self.rng.choice(('f', 'g'))}"

    def value(self):
        return self.rng.choice((str(self.rng.randrange(1, 4)), "r", "r + 1", "r * 2", f"q + {self.rng.randrange(3)}", "helper(r, q)"))

    def condition(self):
        return self.rng.choice((f"r == {self.rng.randrange(3)}", "r < q", f"{self.cell()} == {self.rng.randrange(3)}", "r & 1"))

    def statement(self):
        kinds = [self.read, self.write, self.write, self.add, self.noise, self.noise, self.check, self.atomic, self.point]
        if self.depth < 2:
            kinds += [self.branch, self.loop, self.branch]
        if not self.locked and self.depth == 0:
            kinds += [self.section, self.section, self.attempt]
        self.rng.choice(kinds)()

    def body(self, n):
        self.depth += 1
        for _ in range(n):
            self.statement()
        self.depth -= 1

    def read(self):
        self.emit(f"{self.rng.choice('rq')} = {self.cell()};")

    def write(self):
        self.emit(f"{self.cell()} = {self.value()};")

    def add(self):
        self.emit(f"{self.cell()} += {self.rng.randrange(1, 3)};")

    def noise(self):
        kind = self.rng.choice(("counter", "array", "sum", "pointer"))
        if kind == "counter":
            self.emit(f"{self.name}_n++;")
        elif kind == "array":
            self.emit(f"{self.name}_t[{self.rng.randrange(4)}] = r;")
        elif kind == "sum":
            self.emit(f"{self.name}_n += {self.name}_t[r & 3];")
        else:
            self.emit(f"if ({self.name}_n & 1)")
            self.emit(f"\t{self.name}_t[1]++;")

    def check(self):
        value, k = self.rng.choice(("r", "q", "r + q", "r * 2 - q")), self.rng.randrange(1, 4)
        self.emit(f"assert({value} {self.rng.choice(('!=', '<', '<', '!='))} {k});")

    def atomic(self):
        self.emit(self.rng.choice((f"atomic_fetch_add(&{self.name}_c, 1);", f"r = atomic_load(&{self.name}_c);",
                                   f"atomic_store(&{self.name}_c, {self.rng.randrange(3)});")))

    def point(self):
        self.emit(f"{self.name}_p = &{self.name}_{self.rng.choice(CELLS)};")

    def branch(self):
        self.emit(f"if ({self.condition()}) {{")
        self.body(1)
        self.emit("}")

    def loop(self):
        self.emit("for (int i = 0; i < 2; i++) {")
        self.body(1)
        self.emit("}")

    def section(self):
        m = self.rng.randrange(2)
        self.emit(f"pthread_mutex_lock(&{self.name}_m[{m}]);")
        self.locked = m
        self.statement()
        if self.rng.random() < 0.2:
            self.emit(f"pthread_mutex_lock(&{self.name}_m[{1 - m}]);")
            self.statement()
            self.emit(f"pthread_mutex_unlock(&{self.name}_m[{1 - m}]);")
        self.locked = None
        self.emit(f"pthread_mutex_unlock(&{self.name}_m[{m}]);")

    def attempt(self):
        self.emit(f"if (pthread_mutex_trylock(&{self.name}_m[0]) == 0) {{")
        self.locked = 0
        self.body(1)
        self.locked = None
        self.emit(f"\tpthread_mutex_unlock(&{self.name}_m[0]);")
        self.emit("}")

    def wait(self):
        self.emit(f"pthread_mutex_lock(&{self.name}_m[0]);")
        self.emit(f"{'while' if self.rng.random() < 0.8 else 'if'} (!{self.name}_go)")
        self.emit(f"\tpthread_cond_wait(&{self.name}_k, &{self.name}_m[0]);")
        self.emit(f"pthread_mutex_unlock(&{self.name}_m[0]);")

    def signal(self):
        if self.rng.random() < 0.3:
            self.emit(f"if ({self.condition()})")
        self.emit(f"{self.name}_go = 1;")
        self.emit(f"pthread_cond_signal(&{self.name}_k);")

    def thread(self, t):
        self.lines.append(f"static void *{self.name}_t{t}(void *arg)\n{{\n\tint r = 0, q = 0;\n")
        self.emit("(void)arg;")
        if self.waits and t == 0:
            self.wait()
        for _ in range(self.rng.choice((1, 2, 2, 3)) + 2 * (self.n_threads == 2)):
            self.statement()
        if self.waits and t == 1:
            self.signal()
        if self.heap and t == 0:
            self.emit(f"free({self.name}_h);")
        if self.rng.random() < 0.6:
            self.read()
            self.check()
        self.lines.append("\treturn (void *)(long)(r + q);\n}\n")

    def run(self):
        p = self.name
        self.lines.append(f"static int {', '.join(f'{p}_{c}' for c in CELLS)}, {p}_a[4], {p}_t[4], {p}_n, {p}_go;")
        self.lines.append(f"static struct {{ int f, g; }} {p}_s;\nstatic int *{p}_p = &{p}_x, *{p}_h;\nstatic atomic_int {p}_c;")
        self.lines.append(f"static pthread_mutex_t {p}_m[2] = {{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }};")
        self.lines.append(f"static pthread_cond_t {p}_k = PTHREAD_COND_INITIALIZER;\n")
        for t in range(self.n_threads):
            self.thread(t)
        self.lines.append(f"static void {p}(void)\n{{\n\tpthread_t t[{self.n_threads}];\n\tint r = 0, q = 0;\n")
        if self.heap:
            self.emit(f"{p}_h = calloc(2, sizeof(int));")
        for t in range(self.n_threads):
            self.emit(f"pthread_create(&t[{t}], NULL, {p}_t{t}, NULL);")
        for t in range(self.n_threads):
            self.emit(f"pthread_join(t[{t}], NULL);")
        for _ in range(self.rng.choice((0, 1, 2, 3))):
            self.read()
            self.check()
        self.lines.append("\t(void)(r + q);\n}\n")
        return "\n".join(self.lines)


class Throwing(Generator):
    """C++: what is thrown and caught decides, too; some of it nobody catches."""

    def statement(self):
        if self.locked is None and self.depth < 2 and self.rng.random() < 0.25:
            self.rng.choice((self.attempt_it, self.attempt_it, self.throw, self.scope))()
        else:
            super().statement()

    def throw(self):
        self.emit(f"if ({self.condition()})")
        self.emit(f"\tthrow {self.rng.choice(('r', 'q + 1', '1L', 'thing{ q }'))};")

    def attempt_it(self):
        self.emit("try {")
        self.depth += 1
        self.rng.choice((self.throw, lambda: self.emit(f"q = risky({self.cell()}, r);"), self.throw))()
        self.depth -= 1
        self.body(1)
        kind, given = self.rng.choice((("int e", "e"), ("const thing &e", "e.value"), ("...", "3"), ("...", "2")))
        self.emit(f"}} catch ({kind}) {{")
        self.emit(f"\t{self.rng.choice(('r', 'q', self.cell()))} = {given};")
        self.body(1)
        self.emit("}")

    def scope(self):
        self.emit("{")
        self.emit(f"\tscope last = {{ &{self.name}_{self.rng.choice(CELLS)}, r }};")
        self.body(2)
        self.emit("}")


THROWING = """struct thing { int value; };
struct scope { int *at, by; ~scope() { *at += by; } };

static __attribute__((noinline)) int risky(int a, int b)
{
	if (a == b)
		throw thing{ a };
	if (a > 2)
		throw b;
	return a;
}
"""


def generate(seed, throws=False):
    return (Throwing if throws else Generator)(seed).run()


def in_cxx(text):
    text = text.replace("#include <stdatomic.h>\n", "#include <atomic>\n")
    names = "".join(f"using std::{n};\n" for n in "atomic_int atomic_fetch_add atomic_load atomic_store".split())
    return text.replace("<stdlib.h>\n", "<stdlib.h>\n" + names + THROWING, 1).replace("= calloc(", "= (int *)calloc(")


def together(seeds, throws=False):
    """One file; its argument says which program runs."""
    texts = [generate(s, throws) for s in seeds]
    cases = "".join(f"\tcase {i}: p{s}(); break;\n" for i, s in enumerate(seeds))
    helper = "static __attribute__((noinline)) int helper(int a, int b)\n{\n\treturn a > b ? a - b : b + 1;\n}\n"
    text = f"{HEAD}\n{helper}\n" + "\n".join(texts) + f"\nint main(int argc, char **argv)\n{{\n\tswitch (argc > 1 ? atoi(argv[1]) : 0) {{\n{cases}\t}}\n\treturn 0;\n}}\n"
    return in_cxx(text) if throws else text
