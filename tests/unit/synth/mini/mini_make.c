/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small programs by chance: each has a few sorts of operations, so that they meet. */
#include <stdio.h>
#include <string.h>

#include "mini.h"
#include "vtb/rng.h"

struct maker {
	struct mini *p;
	uint64_t rng;
	int n_vars, n_objects;
};

static int below(struct maker *m, int n)
{
	return (int)vtb_rng_below(&m->rng, (uint64_t)n);
}

static void add(struct maker *m, int t, enum mini_code code, int obj, int reg, int k, int k2)
{
	mini_add(m->p, t, (struct mini_instr){ code, obj, reg, k, k2 });
}

/* An access of any kind; atomic ones only if so wanted. Returns operations added. */
static int some_access(struct maker *m, int t, bool atomic)
{
	const int var = below(m, m->n_vars), reg = below(m, 2), k = below(m, 3), k2 = below(m, 3);

	switch (atomic ? 2 + below(m, 8) : below(m, 2)) {
	case 0:
		add(m, t, M_READ, var, reg, 0, 0);
		break;
	case 1:
		add(m, t, M_WRITE, var, 0, k, 0);
		break;
	case 2:
	case 3:
		add(m, t, M_LOAD, var, reg, 0, 0);
		break;
	case 4:
		add(m, t, M_STORE, var, 0, k, 0);
		break;
	case 5:
		add(m, t, M_EXCHANGE, var, reg, k, 0);
		break;
	case 6:
		add(m, t, M_ADD, var, reg, 1 - 2 * below(m, 2), 0);
		break;
	default:
		add(m, t, M_CAS, var, reg, k, k2);
		break;
	}
	return 1;
}

static int atomics(struct maker *m, int t)
{
	return some_access(m, t, true);
}

static int plain(struct maker *m, int t)
{
	return some_access(m, t, below(m, 4) == 0);
}

/* A lock, perhaps taken twice where it may be, or tried. */
static int mutexes(struct maker *m, int t)
{
	const int lock = below(m, m->n_objects), again = m->p->mutexes[lock] != MINI_NORMAL && below(m, 2);

	if (below(m, 3) == 0) {
		add(m, t, M_TRYLOCK, lock, 2, 0, 0);
		add(m, t, M_IF, 0, 2, 0, 2);
		some_access(m, t, false);
		add(m, t, M_UNLOCK, lock, 0, 0, 0);
		return 3;
	}
	add(m, t, M_LOCK, lock, 2, 0, 0);
	if (again) {
		add(m, t, below(m, 3) ? M_LOCK : M_TRYLOCK, lock, 2, 0, 0);
		if (m->p->mutexes[lock] == MINI_RECURSIVE)
			add(m, t, M_UNLOCK, lock, 0, 0, 0);
	} else {
		some_access(m, t, below(m, 2));
	}
	add(m, t, M_UNLOCK, lock, 0, 0, 0);
	return 3 + again;
}

/* Two locks in an order by chance: deadlocks. */
static int two_locks(struct maker *m, int t)
{
	const int first = below(m, 2);

	add(m, t, M_LOCK, first, 2, 0, 0);
	add(m, t, M_LOCK, 1 - first, 2, 0, 0);
	add(m, t, M_UNLOCK, 1 - first, 0, 0, 0);
	add(m, t, M_UNLOCK, first, 0, 0, 0);
	return 4;
}

static int rwlocks(struct maker *m, int t)
{
	const int lock = below(m, m->n_objects), how = below(m, 4);

	add(m, t, how == 0 ? M_RDLOCK : how == 1 ? M_WRLOCK : how == 2 ? M_TRYRDLOCK : M_TRYWRLOCK, lock, 2, 0, 0);
	if (how >= 2)
		add(m, t, M_IF, 0, 2, 0, 2);
	some_access(m, t, below(m, 2));
	add(m, t, M_RWUNLOCK, lock, 0, 0, 0);
	return 3;
}

/* Mutex 0 belongs to the conditions. */
static int conditions(struct maker *m, int t)
{
	const int var = below(m, m->n_vars), cond = below(m, 2), how = below(m, 6);

	if (how >= 4) {
		add(m, t, how == 4 ? M_SIGNAL : M_BROADCAST, cond, 0, 0, 0);
		return 1;
	}
	add(m, t, M_LOCK, 0, 2, 0, 0);
	if (how >= 2) {
		add(m, t, M_WRITE, var, 0, 1, 0);
		add(m, t, how == 2 ? M_SIGNAL : M_BROADCAST, cond, 0, 0, 0);
		add(m, t, M_UNLOCK, 0, 0, 0, 0);
		return 4;
	}
	add(m, t, M_READ, var, 1, 0, 0);
	add(m, t, M_IF, 0, 1, 0, 1);
	add(m, t, M_WAIT, cond, 0, 0, 0);
	add(m, t, M_UNLOCK, 0, 0, 0, 0);
	return 5;
}

static int timed_waits(struct maker *m, int t)
{
	if (below(m, 2))
		return conditions(m, t);
	add(m, t, M_LOCK, 0, 2, 0, 0);
	add(m, t, M_TIMEDWAIT, below(m, 2), 1, below(m, 3), 0);
	add(m, t, M_UNLOCK, 0, 0, 0, 0);
	add(m, t, M_IF, 0, 1, 1, 1);
	add(m, t, M_WRITE, below(m, m->n_vars), 0, 2, 0);
	return 5;
}

static int semaphores(struct maker *m, int t)
{
	const int sem = below(m, 2), how = below(m, 5);

	if (how < 2) {
		add(m, t, M_SEM_POST, sem, 0, 0, 0);
		return 1;
	}
	if (how == 2) {
		add(m, t, M_SEM_TRYWAIT, sem, 2, 0, 0);
		add(m, t, M_IF, 0, 2, 0, 1);
		return 1 + some_access(m, t, false);
	}
	add(m, t, M_SEM_WAIT, sem, 0, 0, 0);
	return 1;
}

static int barriers(struct maker *m, int t)
{
	if (below(m, 2))
		return some_access(m, t, below(m, 2));
	add(m, t, M_BARRIER, 0, 0, 0, 0);
	return 2;
}

static int anything(struct maker *m, int t);

static int (*const pieces[])(struct maker *, int) = { atomics,    plain,    mutexes,   rwlocks,     conditions,
	                                              semaphores, barriers, two_locks, timed_waits, anything };
#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

static int anything(struct maker *m, int t)
{
	return pieces[below(m, PIECES - 2)](m, t);
}

static void fill_thread(struct maker *m, int t, int flavour, int left)
{
	while (left > 0 && m->p->threads[t].n < MINI_CODE - 8) {
		left -= pieces[below(m, 5) ? flavour : below(m, 2)](m, t);
		if (below(m, 6) == 0) {
			add(m, t, below(m, 2) ? M_IF : M_UNLESS, 0, below(m, 2), below(m, 3), 1);
			left -= some_access(m, t, below(m, 2));
		}
	}
	if (below(m, 8) == 0)
		add(m, t, M_ASSERT, 0, below(m, 2), 1 + below(m, 2), 0);
}

/* A thread that another one than main creates, and perhaps joins. */
static void nest(struct maker *m)
{
	const int child = m->p->n_threads - 1, parent = child - 1;
	struct mini_thread old = m->p->threads[parent];

	m->p->threads[parent].n = 0;
	add(m, parent, M_CREATE, child, 0, 0, 0);
	for (int i = 0; i < old.n; i++)
		mini_add(m->p, parent, old.code[i]);
	if (below(m, 2))
		add(m, parent, M_JOIN, child, 0, 0, 0);
}

static void fill_main(struct maker *m, bool nested)
{
	const int last = m->p->n_threads - nested;

	for (int t = 1; t < last; t++)
		add(m, 0, M_CREATE, t, 0, 0, 0);
	if (below(m, 6) == 0)
		some_access(m, 0, true);
	for (int t = 1; t < last && below(m, 12); t++) /* sometimes it does not wait for all */
		add(m, 0, M_JOIN, t, 0, 0, 0);
	if (below(m, 3) == 0)
		add(m, 0, M_LOAD, 0, 0, 0, 0);
}

void mini_random(struct mini *p, uint64_t seed)
{
	struct maker m = { .p = p, .rng = vtb_mix64(seed + 123) };
	const int flavour = below(&m, PIECES + 2) % (int)PIECES; /* atomics and plain accesses twice as often */
	bool nested;
	int most;

	memset(p, 0, sizeof(*p));
	p->n_threads = 3 + below(&m, 3);
	nested = p->n_threads > 3 && below(&m, 5) == 0;
	m.n_vars = 1 + below(&m, 3);
	m.n_objects = 1 + below(&m, 2);
	p->mutexes[0] = flavour == 2 ? (enum mini_mutex)below(&m, 3) : MINI_NORMAL;
	p->mutexes[1] = flavour == 7 ? MINI_NORMAL : (enum mini_mutex)below(&m, 3);
	p->sems[0] = below(&m, 3);
	p->sems[1] = below(&m, 2);
	p->barriers[0] = 2 + below(&m, 2);
	most = p->n_threads == 3 ? 6 : p->n_threads == 4 ? 3 : 2;
	for (int t = 1; t < p->n_threads; t++)
		fill_thread(&m, t, flavour, 1 + below(&m, most));
	if (nested)
		nest(&m);
	fill_main(&m, nested);
}

void mini_print(const struct mini *p)
{
	static const char *const names[] = { "read",      "write",     "load",        "store",    "exchange",  "add",
		                             "cas",       "lock",      "trylock",     "unlock",   "rdlock",    "wrlock",
		                             "tryrdlock", "trywrlock", "rwunlock",    "wait",     "timedwait", "signal",
		                             "broadcast", "sem_wait",  "sem_trywait", "sem_post", "barrier",   "create",
		                             "join",      "if",        "unless",      "assert" };

	fprintf(stderr, "mutexes %d %d, semaphores %d %d, barrier %d\n", p->mutexes[0], p->mutexes[1], p->sems[0],
	        p->sems[1], p->barriers[0]);
	for (int t = 0; t < p->n_threads; t++) {
		fprintf(stderr, "thread %d:\n", t);
		for (int i = 0; i < p->threads[t].n; i++) {
			const struct mini_instr *in = &p->threads[t].code[i];

			fprintf(stderr, "  %d %s obj %d reg %d k %d k2 %d\n", i, names[in->code], in->obj, in->reg,
			        in->k, in->k2);
		}
	}
}
