# SPDX-License-Identifier: GPL-2.0-or-later
"""Random small threaded programs: as C text for the compiler, and as a list of steps for the model.

A program is main's body and 2 or 3 threads of up to four items each; a *large* one has 3 or 4 threads of up to ten operations, semaphores and atomics. Everything that threads read goes into their return values, and
the process ends with a status computed from those and from the final values: different interleavings show.
Variables are volatile, so that each access of the text is one access of the program.

Steps, one tuple each. Visible: add V K (the old value is read), cas V OLD NEW (1 is read if it took place, else 0), sem-wait S, post S, read V, write V K, put V (the accumulator), load V and store V (the halves of V++), lock M,
unlock M, try M LABEL (go there if it is taken), wait C M, wake C M, signal C, broadcast C, create T, join T, exit.
Invisible: unless-last LABEL (jump if the value read last is not 0), jump LABEL, acc K, fail-if K (assertion on the value read last)."""
import random

VARIABLES = "xyz"
ATOMICS = "ab"      # of large programs
SEMAPHORES = {"s": 0, "t": 1}
OPERATIONS = 10     # of a thread of a large program, at most


class Writer:
    """Collects the C lines and the steps of one body."""

    def __init__(self):
        self.lines, self.steps = [], []

    def add(self, line, *steps):
        if line:
            self.lines.append(line)
        self.steps.extend(steps)

    def here(self):
        return len(self.steps)

    def aim(self, at, label):
        """The jump at `at` goes to `label`."""
        self.steps[at] = self.steps[at][:-1] + (label,)


class Generator:
    def __init__(self, seed, large=False):
        self.rng = random.Random(seed)
        self.large = large
        self.n_threads = self.rng.choice((3, 3, 4) if large else (2, 2, 2, 3))
        self.variables = VARIABLES[: self.rng.choice((2, 2, 3))]
        self.sync = self.rng.choice(("none", "locks", "locks", "conditions", "all"))
        self.check = self.rng.random() < 0.3
        self.atomics = ATOMICS[: self.rng.choice((0, 1, 2))] if large else ""
        self.semaphores = "".join(SEMAPHORES)[: self.rng.choice((0, 1, 2))] if large else ""

    def variable(self):
        return self.rng.choice(self.variables)

    def access(self, w):
        v, k = self.variable(), self.rng.randrange(1, 4)
        kind = self.rng.choice(("read", "read", "write", "inc", "inc", "put"))
        if kind == "read":
            w.add(f"r = {v}; acc = mix(acc, r);", ("read", v), ("mix",))
        elif kind == "write":
            w.add(f"{v} = {k};", ("write", v, k))
        elif kind == "put":
            w.add(f"{v} = acc % 5;", ("put", v))
        else:
            w.add(f"{v}++;", ("load", v), ("store", v))

    def region(self, w, held):
        """A lock around accesses, sometimes around another region: lock cycles."""
        m = self.rng.choice([m for m in ("m", "n") if m not in held])
        w.add(f"pthread_mutex_lock(&{m});", ("lock", m))
        for _ in range(self.rng.choice((1, 1, 2))):
            self.item(w, held + [m])
        w.add(f"pthread_mutex_unlock(&{m});", ("unlock", m))

    def branch(self, w, held):
        m = self.rng.choice(("m", "n"))
        w.add(f"if (pthread_mutex_trylock(&{m}) == 0) {{")
        at = w.here()
        w.add(None, ("try", m, None))
        self.access(w)
        w.add(f"pthread_mutex_unlock(&{m});", ("unlock", m))
        over = w.here()
        w.add("} else { acc = mix(acc, 7); }", ("jump", None))
        w.aim(at, w.here())
        w.add(None, ("acc", 7))
        w.aim(over, w.here())

    def wait(self, w):
        v, word = self.variable(), self.rng.choice(("while", "while", "if"))
        w.add("pthread_mutex_lock(&m);", ("lock", "m"))
        w.add(f"{word} ((r = {v}) == 0)")
        top = w.here()
        w.add("\tpthread_cond_wait(&c, &m);", ("read", v), ("unless-last", None), ("wait", "c", "m"), ("wake", "c", "m"))
        if word == "while":
            w.add(None, ("jump", top))
        w.aim(top + 1, w.here())
        w.add("pthread_mutex_unlock(&m);", ("unlock", "m"))

    def signal(self, w):
        v, word = self.variable(), self.rng.choice(("signal", "signal", "broadcast"))
        manner = self.rng.choice(("inside", "inside", "after", "bare"))
        call = (f"pthread_cond_{word}(&c);", (word, "c"))
        if manner != "bare":
            w.add("pthread_mutex_lock(&m);", ("lock", "m"))
        w.add(f"{v} = 1;", ("write", v, 1))
        if manner == "inside":
            w.add(*call)
        if manner != "bare":
            w.add("pthread_mutex_unlock(&m);", ("unlock", "m"))
        if manner != "inside":
            w.add(*call)

    def atomic(self, w):
        v, k = self.rng.choice(self.atomics), self.rng.randrange(1, 4)
        kind = self.rng.choice(("load", "store", "add", "cas", "cas", "lock-free"))
        if kind == "load":
            w.add(f"r = atomic_load(&{v}); acc = mix(acc, r);", ("read", v), ("mix",))
        elif kind == "store":
            w.add(f"atomic_store(&{v}, {k});", ("write", v, k))
        elif kind == "add":
            w.add(f"r = atomic_fetch_add(&{v}, {k}); acc = mix(acc, r);", ("add", v, k), ("mix",))
        elif kind == "cas":
            old = self.rng.randrange(0, 3)
            w.add(f"r = {old}; r = atomic_compare_exchange_strong(&{v}, &r, {k}); acc = mix(acc, r);", ("cas", v, old, k), ("mix",))
        else:  # whoever comes first does something that the others do not
            w.add(f"r = 0; if (atomic_compare_exchange_strong(&{v}, &r, {k})) {{")
            at = w.here() + 1
            w.add(None, ("cas", v, 0, k), ("if-last", None))
            self.access(w)
            w.add("}")
            w.aim(at, w.here())

    def semaphore(self, w):
        s = self.rng.choice(self.semaphores)
        if self.rng.random() < 0.5:
            w.add(f"sem_post(&{s});", ("post", s))
        else:
            w.add(f"sem_wait(&{s});", ("sem-wait", s))

    def item(self, w, held=()):
        held = list(held)
        choices = [self.access] * 4
        if self.atomics:
            choices += [self.atomic] * 3
        if self.semaphores and not held:
            choices += [self.semaphore] * 2
        if self.sync in ("locks", "all"):
            if len(held) < 2:
                choices += [lambda w: self.region(w, held)] * 3
            choices.append(lambda w: self.branch(w, held))
        if self.sync in ("conditions", "all") and not held:
            choices += [self.wait] * 2 + [self.signal] * 2
        self.rng.choice(choices)(w)

    def thread(self):
        w = Writer()
        for _ in range(self.rng.randrange(2, 6) if self.large else self.rng.randrange(1, 5)):
            if not self.large or w.here() < OPERATIONS - 4:
                self.item(w)
        if self.check and self.rng.random() < 0.5:
            v, k = self.variable(), self.rng.randrange(0, 4)
            w.add(f"r = {v}; assert(r != {k});", ("read", v), ("fail-if", k))
        return w

    def main(self):
        w = Writer()
        for i in range(self.n_threads):
            w.add(f"pthread_create(&thread[{i}], NULL, thread_{i}, NULL);", ("create", i + 1))
            if self.rng.random() < 0.15:
                self.access(w)
        for i in range(self.n_threads):
            w.add(f"pthread_join(thread[{i}], &ret[{i}]);", ("join", i + 1))
        w.add(None, ("exit",))
        return w


def weights(n_variables, n_threads):
    return [1, 3, 9, 27, 81][:n_variables], [5, 7, 11, 17][:n_threads]


def generate(seed, large=False):
    """The bodies (main first) as lists of steps, the names of the variables, the semaphores' first values, and the C text."""
    g = Generator(seed, large)
    threads = [g.thread() for _ in range(g.n_threads)]
    main = g.main()
    return {"seed": seed, "bodies": [main.steps] + [t.steps for t in threads], "variables": g.variables + g.atomics, "semaphores": {s: SEMAPHORES[s] for s in g.semaphores}, "text": text(g, main, threads)}


def text(g, main, threads):
    names = g.variables + g.atomics
    by_variable, by_thread = weights(len(names), g.n_threads)
    body = lambda w: "".join(f"\t{line}\n" for line in w.lines)
    out = "#include <assert.h>\n#include <pthread.h>\n"
    out += "#include <semaphore.h>\n#include <stdatomic.h>\n\n" if g.large else "\n"
    out += f"static atomic_int {', '.join(g.atomics)};\n" if g.atomics else ""
    out += f"static sem_t {', '.join(g.semaphores)};\n" if g.semaphores else ""
    out += f"static volatile int {', '.join(g.variables)};\n"
    out += "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\n"
    out += "static inline int mix(int acc, int r)\n{\n\treturn (acc * 3 + r + 1) % 101;\n}\n\n"
    for i, w in enumerate(threads):
        out += f"static void *thread_{i}(void *arg)\n{{\n\tint acc = 0, r = 0;\n\n\t(void)arg;\n{body(w)}\t(void)r;\n\treturn (void *)(long)acc;\n}}\n\n"
    out += f"int main(void)\n{{\n\tpthread_t thread[{g.n_threads}];\n\tvoid *ret[{g.n_threads}];\n\tint acc = 0, r = 0;\n\n"
    out += "".join(f"\tsem_init(&{s}, 0, {SEMAPHORES[s]});\n" for s in g.semaphores) + body(main)
    terms = [f"{k} * {v}" for k, v in zip(by_variable, names)] + [f"{k} * (int)(long)ret[{i}]" for i, k in enumerate(by_thread)]
    out += f"\t(void)r;\n\treturn (13 * acc + {' + '.join(terms)}) % 97;\n}}\n"
    return out + "/* keeps unused objects quiet */\nvoid *unused[] = {&m, &n, &c};\n"
