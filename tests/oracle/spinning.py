# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs that wait by spinning, as program.py makes others: C text and steps of the model.

Every kind of loop: exchange, test and exchange, compare-and-swap with and without back-off, tickets, Peterson's and others that withdraw,
a try that is bounded and then a slow way, locks and semaphores that are tried again and again, flags of every sort, sequence locks; in
between nothing, a yield, a pause, a sleep or a poll. Some never end: what they wait for does not always come. Between the loops locks with a
deadline, threads that create threads, bit-fields that share a word, read-write locks that prefer writers."""
import random

from program import Writer, weights

NAMES = "x y z a b f g t u q".split()  # x to z are volatile, the others atomic
BITS = {"low": (0, 7), "high": (3, 31)}  # of the word w: first bit, mask
HEAD = "#define _GNU_SOURCE\n" + "".join(f"#include <{name}.h>\n" for name in "assert poll pthread sched semaphore stdatomic stdlib time unistd".split())
PAUSES = {"": "", "pause": "__builtin_ia32_pause();", "yield": "sched_yield();", "usleep": "usleep(1);", "poll": "poll(0, 0, 1);"}


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.n_threads = self.rng.choice((1, 1, 2, 2, 2, 3))
        self.sleeps = self.rng.random() < 0.15
        self.quick = self.rng.random() < 0.4  # nothing but loops without any pause
        self.sloppy = self.rng.choice((0, 0, 0.25))
        self.kinds = self.rng.sample(KINDS, 2) + [Generator.access]
        self.prefers_writers = self.rng.random() < 0.5
        self.nested = []  # bodies of threads that others create
        self.left = False  # one of them may go on while main ends

    def body(self, w, n=None):
        for _ in range(n or self.rng.choice((1, 1, 2))):
            self.access(w)

    def access(self, w):
        v, k = self.rng.choice("xy"), self.rng.randrange(1, 4)
        kind = self.rng.choice(("read", "write", "inc", "inc"))
        if kind == "read":
            w.add(f"r = {v}; acc = mix(acc, r);", ("read", v), ("mix",))
        elif kind == "write":
            w.add(f"{v} = {k};", ("write", v, k))
        else:
            w.add(f"{v}++;", ("load", v), ("store", v))

    def pause(self, w):
        """In a loop's body: its text; the steps are added."""
        names = [""] if self.quick else ["", "pause", "yield"] + ["usleep", "poll"] * self.sleeps
        name = self.rng.choice(names)
        if name not in ("", "pause"):
            w.add(None, ("yield",) if name == "yield" else ("sleep",))
        return PAUSES[name]

    # ---- loops: `until` is the step that leaves

    def loop(self, w, head, steps, leaves):
        """`steps`, then `leaves` jumps out of the loop, or it goes round. `head`: how that is said in C."""
        top = w.here()
        w.add(None, *steps, leaves + (None,))
        out = w.here() - 1
        w.add(f"{head} {{ {self.pause(w)} }}", ("jump", top))
        w.aim(out, w.here())

    def take(self, w, l):
        kind = self.rng.choice(("exchange", "test", "cas", "back-off", "bare"[: 4 * (self.rng.random() < self.sloppy)]))
        if kind == "exchange":
            self.loop(w, f"while (atomic_exchange(&{l}, 1))", [("xchg", l, 1)], ("if-last",))
        elif kind == "cas":
            self.loop(w, f"for (int e = 0; !atomic_compare_exchange_strong(&{l}, &e, 1); e = 0)", [("cas", l, 0, 1)], ("unless-last",))
        elif kind == "test":
            top = w.here()
            w.add("do")
            self.loop(w, f"\twhile (atomic_load(&{l}))", [("read", l)], ("if-last",))
            w.add(f"while (atomic_exchange(&{l}, 1));", ("xchg", l, 1), ("unless-last", top))
        elif kind == "back-off":
            self.back_off(w, l)
        else:  # what a beginner writes
            self.loop(w, f"while (atomic_load(&{l}))", [("read", l)], ("if-last",))
            w.add(f"atomic_store(&{l}, 1);", ("write", l, 1))

    def back_off(self, w, l):
        """One yield, then two, then always two."""
        w.add(f"for (int e = 0, p = 1; !atomic_compare_exchange_strong(&{l}, &e, 1); e = 0, p = 2)")
        w.add("\tfor (int i = 0; i < p; i++) sched_yield();")
        outs = []
        for yields in (1, 2):
            top = w.here()
            outs.append(top + 1)
            w.add(None, ("cas", l, 0, 1), ("unless-last", None), *[("yield",)] * yields)
        w.add(None, ("jump", top))
        for at in outs:
            w.aim(at, w.here())

    def lock(self, w):
        l = self.rng.choice("aab")
        self.take(w, l)
        self.body(w)
        if self.rng.random() >= self.sloppy / 2:
            w.add(f"atomic_store(&{l}, 0);", ("write", l, 0))

    def try_mutex(self, w):
        top = w.here()
        w.add(None, ("try", "m", None), ("jump", None))
        w.aim(top, w.here())
        w.add(f"while (pthread_mutex_trylock(&m)) {{ {self.pause(w)} }}", ("jump", top))
        w.aim(top + 1, w.here())
        self.body(w)
        w.add("pthread_mutex_unlock(&m);", ("unlock", "m"))

    def mutex(self, w):
        w.add("pthread_mutex_lock(&m);", ("lock", "m"))
        self.body(w)
        w.add("pthread_mutex_unlock(&m);", ("unlock", "m"))

    def some_mutex(self, w):
        (self.try_mutex if self.rng.random() < 0.6 else self.mutex)(w)

    def bounded(self, w):
        """Some tries, then the slow way: a lock that blocks, or without."""
        n, slow = self.rng.choice((1, 2, 3, 8)), self.rng.random() < 0.6
        pause, outs = self.rng.choice(("", "yield")), []
        w.add("r = 1;")
        w.add(f"for (int i = 0; i < {n} && (r = pthread_mutex_trylock(&m)); i++) {{ {PAUSES[pause]} }}")
        for _ in range(n):
            at = w.here()
            w.add(None, ("try", "m", at + 2), ("jump", None), *[("yield",)] * bool(pause))
            outs.append(at + 1)
        w.add("if (!r || !pthread_mutex_lock(&m)) {" if slow else "if (!r) {", *[("lock", "m")] * slow)
        if not slow:
            skip = w.here()
            w.add(None, ("jump", None))
        for at in outs:
            w.aim(at, w.here())
        self.body(w, 1)
        w.add("pthread_mutex_unlock(&m); }", ("unlock", "m"))
        if not slow:
            over = w.here()
            w.add("else acc = mix(acc, 7);", ("jump", None))
            w.aim(skip, w.here())
            w.add(None, ("acc", 7))
            w.aim(over, w.here())

    def bounded_flag(self, w):
        n, outs = self.rng.choice((2, 6, 12)), []
        w.add(f"for (int i = 0; i < {n} && !(r = atomic_load(&f)); i++) sched_yield();")
        for _ in range(n):
            outs.append(w.here() + 1)
            w.add(None, ("read", "f"), ("unless-last", None), ("yield",))
        for at in outs:
            w.aim(at, w.here())
        w.add("acc = mix(acc, r);", ("mix",))

    def flag(self, w):
        """Waits for one, or says that it is there."""
        v = self.rng.choice("ffgz")
        get, put = (v, f"{v} = 1;") if v == "z" else (f"atomic_load(&{v})", f"atomic_store(&{v}, 1);")
        if self.rng.random() < 0.5:
            w.add(put, ("write", v, 1))
        else:
            self.loop(w, f"while (!{get})", [("read", v)], ("unless-last",))

    def either(self, w):
        """Waits for one of two."""
        if self.rng.random() < 0.4:
            v = self.rng.choice("fg")
            w.add(f"atomic_store(&{v}, 1);", ("write", v, 1))
            return
        top = w.here()
        w.add(None, ("read", "f"), ("unless-last", None), ("read", "g"), ("unless-last", None))
        w.add(f"while (!(r = atomic_load(&f)) && !(r = 2 * atomic_load(&g))) {{ {self.pause(w)} }}", ("jump", top))
        w.aim(top + 3, w.here())
        w.add("acc = mix(acc, r);", ("twice",))
        w.aim(top + 1, w.here())
        w.add(None, ("mix",))

    def turn(self, w):
        """Waits until it is its turn; or lets somebody have it."""
        k = self.rng.choice((1, 1, 2))
        if self.rng.random() < 0.5:
            w.add("r = atomic_fetch_add(&q, 1); acc = mix(acc, r);", ("add", "q", 1), ("mix",))
        else:
            self.loop(w, f"while (atomic_load(&q) != {k})", [("read", "q")], ("if-value", k))

    def add(self, w):
        """Without a lock: never waits."""
        v, k = self.rng.choice("ab"), self.rng.randrange(1, 3)
        w.add(f"r = atomic_load(&{v});", ("read", v), ("keep",))
        top = w.here()
        w.add(None, ("cas-kept", v, k), ("unless-last", None), ("jump", top))
        w.aim(top + 1, w.here())
        w.add(f"while (!atomic_compare_exchange_strong(&{v}, &r, r + {k}));")
        w.add("acc = mix(acc, r);", ("last-kept",), ("mix",))

    def ticket(self, w):
        w.add("r = atomic_fetch_add(&t, 1);", ("add", "t", 1), ("keep",))
        self.loop(w, "while (atomic_load(&u) != r)", [("read", "u")], ("if-kept",))
        self.body(w, 1)
        w.add("atomic_fetch_add(&u, 1);", ("add", "u", 1))

    def withdraw(self, w):
        me, other = self.rng.choice((("f", "g"), ("g", "f")))
        w.add(f"atomic_store(&{me}, 1);", ("write", me, 1))
        top = w.here()
        w.add(None, ("read", other), ("if-last", None), ("write", me, 0))
        w.add(f"while (atomic_load(&{other})) {{ atomic_store(&{me}, 0); {self.pause(w)} atomic_store(&{me}, 1); }}", ("write", me, 1), ("jump", top))
        w.aim(top + 1, w.here())
        self.body(w, 1)
        w.add(f"atomic_store(&{me}, 0);", ("write", me, 0))

    def peterson(self, w):
        me, other, turn = self.rng.choice((("f", "g", 1), ("g", "f", 0)))
        w.add(f"atomic_store(&{me}, 1);", ("write", me, 1))
        if self.rng.random() >= self.sloppy:
            w.add(f"atomic_store(&q, {turn});", ("write", "q", turn))
        top = w.here()
        w.add(None, ("read", other), ("if-last", None), ("read", "q"), ("unless-value", turn, None))
        w.add(f"while (atomic_load(&{other}) && atomic_load(&q) == {turn}) {{ {self.pause(w)} }}", ("jump", top))
        w.aim(top + 1, w.here())
        w.aim(top + 3, w.here())
        self.body(w, 1)
        w.add(f"atomic_store(&{me}, 0);", ("write", me, 0))

    def sequence(self, w):
        if self.rng.random() < 0.5:
            w.add("atomic_fetch_add(&q, 1);", ("add", "q", 1))
            self.body(w)
            w.add("atomic_fetch_add(&q, 1);", ("add", "q", 1))
            return
        top = w.here()
        w.add("for (int k;;) {")
        self.loop(w, "\twhile ((k = atomic_load(&q)) & 1)", [("read", "q")], ("if-even",))
        w.add("\tr = x;", ("keep",), ("read", "x"), ("save",))
        w.add("\tif (k == (int)atomic_load(&q)) break;", ("read", "q"), ("unless-kept", top))
        w.add("}")
        w.add("acc = mix(acc, r);", ("last-saved",), ("mix",))

    def semaphore(self, w):
        if self.rng.random() < 0.5:
            w.add("sem_post(&s);", ("post", "s"))
        else:
            self.loop(w, "while (sem_trywait(&s))", [("sem-try", "s")], ("unless-last",))

    def spin_lock(self, w):
        if self.rng.random() < 0.5:
            w.add("pthread_spin_lock(&p);", ("lock", "p"))
        else:
            top = w.here()
            w.add(None, ("try", "p", None), ("jump", None))
            w.aim(top, w.here())
            w.add(f"while (pthread_spin_trylock(&p)) {{ {self.pause(w)} }}", ("jump", top))
            w.aim(top + 1, w.here())
        self.body(w)
        w.add("pthread_spin_unlock(&p);", ("unlock", "p"))

    def own(self, w):
        """A variable of the thread's own, whatever it is called."""
        k = self.rng.randrange(1, 4)
        w.add(f"own += {k}; acc = mix(acc, {k}); own_bits.low = {k}; own_bits.high++;", ("acc", k))

    def once(self, w):
        top = w.here()
        w.add(None, ("once", "o", None), ("read", "x"), ("keep",), ("read", "y"), ("save",), ("write", "x", 2), ("done", "o"))
        w.add("pthread_once(&o, just_once);")
        w.aim(top, w.here())

    def readers(self, w):
        kind = self.rng.choice(("rd", "wr", "try-rd", "try-wr"))
        name = {"rd": "rdlock", "wr": "wrlock", "try-rd": "tryrdlock", "try-wr": "trywrlock"}[kind]
        if kind.startswith("try"):
            top = w.here()
            w.add(None, (kind, "l", None), ("jump", None))
            w.aim(top, w.here())
            w.add(f"while (pthread_rwlock_{name}(&l)) {{ {self.pause(w)} }}", ("jump", top))
            w.aim(top + 1, w.here())
        else:
            w.add(f"pthread_rwlock_{name}(&l);", (kind, "l"))
        self.body(w, 1)
        w.add("pthread_rwlock_unlock(&l);", ("rw-unlock", "l"))

    def until(self, w):
        """Waits for a lock until time has passed, or it is there. Time may pass whenever it waits: as if it were tried."""
        kind, call, undo = self.rng.choice((("try", "mutex_timedlock(&m", "mutex_unlock(&m"), ("timed-rd", "rwlock_timedrdlock(&l", "rwlock_unlock(&l"),
                                            ("timed-wr", "rwlock_timedwrlock(&l", "rwlock_unlock(&l")))
        lock = "m" if kind == "try" else "l"
        at = w.here()
        w.add(f"if (!pthread_{call}, &late)) {{", (kind, lock, None))
        self.body(w, 1)
        w.add(f"pthread_{undo}); }} else acc = mix(acc, 5);", ("unlock" if kind == "try" else "rw-unlock", lock), ("jump", None))
        w.aim(at, w.here())
        over = w.here() - 1
        w.add(None, ("acc", 5))
        w.aim(over, w.here())

    def bits(self, w):
        """A part of a word is changed: all of it is read and written."""
        name = self.rng.choice(list(BITS))
        first, mask = BITS[name]
        k = self.rng.randrange(1, 8)
        if self.rng.random() < 0.6:
            w.add(f"w.{name} = {k};", ("load", "w"), ("put-bits", "w", first, mask, k))
        else:
            w.add(f"r = w.{name}; acc = mix(acc, r);", ("read", "w"), ("bits", first, mask), ("mix",))

    def creates(self, w):
        """A thread of its own; joined or left to itself."""
        if w.depth or len(self.nested) == 2:
            self.access(w)
            return
        k = self.n_threads + len(self.nested)
        self.nested.append(None)
        self.nested[k - self.n_threads] = self.thread(depth=1)
        w.add(f"pthread_t t{k}; void *got{k}; pthread_create(&t{k}, NULL, thread_{k}, NULL);", ("create", k + 1))
        self.access(w)
        if self.rng.random() < 0.2:
            self.left = True
        else:
            w.add(f"pthread_join(t{k}, &got{k}); acc = mix(acc, (int)(long)got{k});", ("join", k + 1), ("mix",))

    def thread(self, depth=0):
        w = Writer()
        w.depth = depth
        for kind in self.rng.choices(self.kinds, (3, 3, 1), k=self.rng.choice((1, 1, 2, 2, 3))):
            kind(self, w)
        return w

    def main(self):
        w = Writer()
        w.depth = 0
        for i in range(self.n_threads):
            w.add(f"pthread_create(&thread[{i}], NULL, thread_{i}, NULL);", ("create", i + 1))
        if self.n_threads == 1 or self.rng.random() < 0.3:
            w.steps += [*self.within(w)]
        self.joined = self.rng.random() < 0.9 and not self.left
        if self.joined:
            for i in range(self.n_threads):
                w.add(f"pthread_join(thread[{i}], &ret[{i}]);", ("join", i + 1))
        w.add(None, ("exit",))
        return w

    def within(self, w):
        """A thread's work, done by main: its lines; its steps with their labels moved."""
        other, shift = self.thread(), w.here()
        w.lines += other.lines
        return [step[:-1] + (step[-1] + shift,) if step[0] in JUMPS else step for step in other.steps]


KINDS = [Generator.lock, Generator.lock, Generator.lock, Generator.some_mutex, Generator.bounded, Generator.bounded_flag, Generator.flag, Generator.either,
         Generator.turn, Generator.add, Generator.ticket, Generator.withdraw, Generator.peterson, Generator.sequence, Generator.semaphore, Generator.spin_lock, Generator.own, Generator.once, Generator.readers,
         Generator.until, Generator.until, Generator.bits, Generator.creates]
JUMPS = {"timed-rd", "timed-wr", "jump", "if-last", "unless-last", "if-value", "unless-value", "if-kept", "unless-kept", "if-even", "try", "try-rd", "try-wr", "once"}


def generate(seed):
    """As program.generate()."""
    g = Generator(seed)
    threads = [g.thread() for _ in range(g.n_threads)]
    main = g.main()
    made = threads + g.nested
    return {"seed": seed, "bodies": [main.steps] + [t.steps for t in made], "direct": len(threads), "prefers_writers": g.prefers_writers, "variables": NAMES + ["w"], "semaphores": {"s": 0}, "text": text(g, main, threads, made), "joined": g.joined, "sleeps": g.sleeps}


def text(g, main, threads, made):
    by_variable, by_thread = weights(len(NAMES) + 1, g.n_threads)
    body = lambda w: "".join(f"\t{line}\n" for line in w.lines)
    out = f"static volatile int {', '.join(NAMES[:3])};\nstatic atomic_int {', '.join(NAMES[3:])};\nstatic sem_t s;\nstatic pthread_spinlock_t p;\n"
    out += "static __thread int own;\nstatic __thread struct { unsigned low : 3, high : 5; } own_bits;\n"
    out += "static volatile struct { unsigned low : 3, high : 5; } w;\nstatic const struct timespec late = { 4000000000, 0 };\n"
    out += f"static pthread_rwlock_t l = PTHREAD_RWLOCK_{'WRITER_NONRECURSIVE_INITIALIZER_NP' if g.prefers_writers else 'INITIALIZER'};\n"
    out += "static pthread_once_t o = PTHREAD_ONCE_INIT;\n"
    out += "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\nstatic inline int mix(int acc, int r)\n{\n\treturn (acc * 3 + r + 1) % 101;\n}\n\n"
    out += "static void just_once(void)\n{\n\t(void)x;\n\t(void)y;\n\tx = 2;\n}\n\n"
    for i, w in reversed(list(enumerate(made))):  # who is created stands before who creates
        out += f"static void *thread_{i}(void *arg)\n{{\n\tint acc = 0, r = 0;\n\n\t(void)arg;\n{body(w)}\t(void)r;\n\treturn (void *)(long)acc;\n}}\n\n"
    out += f"int main(void)\n{{\n\tpthread_t thread[{g.n_threads}];\n\tvoid *ret[{g.n_threads}] = {{ 0 }};\n\tint acc = 0, r = 0;\n\n"
    out += "\tsem_init(&s, 0, 0);\n\tpthread_spin_init(&p, 0);\n" + body(main)
    terms = [f"{k} * {v}" for k, v in zip(by_variable, NAMES)] + [f"{k} * (int)(long)ret[{i}]" for i, k in enumerate(by_thread)]
    return out + f"\t(void)r;\n\texit(({' + '.join(['13 * acc'] + terms * g.joined)}) % 97);\n}}\n"


def together(programs):
    """One C file for all: the number of a program is its argument."""
    local = NAMES + "s p m l o own own_bits just_once mix main w late".split() + [f"thread_{i}" for i in range(6)]
    out = HEAD
    for k, one in enumerate(programs):
        out += "".join(f"#undef {name}\n#define {name} {name}_{k}\n" for name in local) + one["text"]
    out += "".join(f"#undef {name}\n" for name in local)
    return out + f"int main(int argc, char **argv)\n{{\n\tstatic int (*const all[])(void) = {{ {', '.join(f'main_{k}' for k in range(len(programs)))} }};\n\n\treturn all[argc > 1 ? atoi(argv[1]) : 0]();\n}}\n"
