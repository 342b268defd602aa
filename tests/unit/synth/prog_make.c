/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where abstract programs come from: chance, and the figures of [CVT13]. */
#include <stdio.h>
#include <string.h>

#include "prog.h"
#include "vtb/rng.h"

/* One random instruction or a small group of them; never more than `left` operations. Returns how many operations. */
static int random_piece(struct prog *p, int thread, int left, uint64_t *rng)
{
	const int var = (int)vtb_rng_below(rng, (uint64_t)p->n_vars),
	          lock = (int)vtb_rng_below(rng, (uint64_t)p->n_locks), k = (int)vtb_rng_below(rng, 2);

	switch (vtb_rng_below(rng, 9)) {
	case 0:
		prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = k });
		return 1;
	case 1:
		prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = k + 1 });
		return 1;
	case 2: /* not atomic: read, then write */
		if (left < 2)
			return 0;
		prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = 2 });
		prog_add(p, thread, (struct prog_instr){ .code = P_STORE, .obj = var, .reg = 2, .k = 1 });
		return 2;
	case 3: /* a critical section */
		if (left < 3)
			return 0;
		prog_add(p, thread, (struct prog_instr){ .code = P_LOCK, .obj = lock });
		prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = 3 + k });
		prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK, .obj = lock });
		return 3;
	case 4: /* two locks, in an order by chance */
		if (left < 4)
			return 0;
		prog_add(p, thread, (struct prog_instr){ .code = P_LOCK, .obj = lock });
		prog_add(p, thread, (struct prog_instr){ .code = P_LOCK, .obj = (lock + 1) % p->n_locks });
		prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK, .obj = (lock + 1) % p->n_locks });
		prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK, .obj = lock });
		return 4;
	case 5: /* if (!trylock) x = 7, unlock */
		if (left < 3)
			return 0;
		prog_add(p, thread, (struct prog_instr){ .code = P_TRYLOCK, .obj = lock, .reg = 3 });
		prog_add(p, thread, (struct prog_instr){ .code = P_SKIP, .reg = 3, .k = 0, .n = 2 });
		prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = 7 });
		prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK, .obj = lock });
		return 3;
	case 6: /* if (x == k) y = 9 */
		if (left < 2)
			return 0;
		prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = 4 });
		prog_add(p, thread, (struct prog_instr){ .code = P_SKIP, .reg = 4, .k = k, .n = 1 });
		prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = (var + 1) % p->n_vars, .k = 9 });
		return 2;
	case 7: /* lock; if (x == 0) wait; unlock */
		if (left < 4)
			return 0;
		prog_add(p, thread, (struct prog_instr){ .code = P_LOCK, .obj = lock });
		prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = 5 });
		prog_add(p, thread, (struct prog_instr){ .code = P_SKIP, .reg = 5, .k = 0, .n = 1 });
		prog_add(p, thread, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = lock });
		prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK, .obj = lock });
		return 5;
	default:
		prog_add(p, thread, (struct prog_instr){ .code = k ? P_SIGNAL : P_BROADCAST, .obj = 0 });
		return 1;
	}
}

static void random_assertion(struct prog *p, int thread, uint64_t *rng)
{
	const struct prog_instr in = { .code = vtb_rng_below(rng, 2) ? P_ASSERT_NE : P_ASSERT_EQ,
		                       .reg = (int)vtb_rng_below(rng, 5),
		                       .k = (int)vtb_rng_below(rng, 4) };

	prog_add(p, thread, in);
}

void prog_random(struct prog *p, uint64_t seed, int n_threads, int ops)
{
	uint64_t rng = vtb_mix64(seed + 77);

	memset(p, 0, sizeof(*p));
	p->n_threads = n_threads;
	p->n_vars = 2 + (int)vtb_rng_below(&rng, 2);
	p->n_locks = 2;
	p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t < n_threads; t++) {
		int left = 1 + (int)vtb_rng_below(&rng, (uint64_t)ops);

		while (left > 0)
			left -= random_piece(p, t, left, &rng);
		if (vtb_rng_below(&rng, 3) == 0)
			random_assertion(p, t, &rng);
	}
	if (vtb_rng_below(&rng, 4)) { /* sometimes main returns while the others still run */
		prog_join_all(p);
		prog_add(p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
		if (vtb_rng_below(&rng, 2))
			random_assertion(p, 0, &rng);
	}
}

static void add_wait(struct prog *p, int thread, enum prog_code code, int var, int lock, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_LOCK, .obj = lock });
	prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = 5 });
	prog_add(p, thread, (struct prog_instr){ .code = P_SKIP, .reg = 5, .k = 0, .n = 1 });
	prog_add(p, thread, (struct prog_instr){ .code = code, .obj = 0, .lock = lock, .k = k, .reg = 2 });
	prog_add(p, thread, (struct prog_instr){ .code = P_UNLOCK, .obj = lock });
}

static int random_chance(struct prog *p, int thread, int left, uint64_t *rng)
{
	const int var = (int)vtb_rng_below(rng, (uint64_t)p->n_vars), k = (int)vtb_rng_below(rng, 2);

	switch (vtb_rng_below(rng, 7)) {
	case 0:
	case 1:
		if (left < 5)
			return 0;
		add_wait(p, thread, P_WAIT, var, 0, 0);
		return 5;
	case 2:
		if (left < 5)
			return 0;
		add_wait(p, thread, P_TIMEDWAIT, var, 0, (int)vtb_rng_below(rng, 3));
		prog_add(p, thread, (struct prog_instr){ .code = P_SKIP, .reg = 2, .k = 1, .n = 1 });
		prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = 5 });
		return 5;
	case 3:
		prog_add(p, thread, (struct prog_instr){ .code = P_CAS, .obj = var, .k = k, .reg = 1 });
		return 1;
	case 4:
		prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = k + 1 });
		return 1;
	default:
		prog_add(p, thread,
		         (struct prog_instr){ .code = vtb_rng_below(rng, 4) ? P_SIGNAL : P_BROADCAST, .obj = 0 });
		return 1;
	}
}

void prog_random_chances(struct prog *p, uint64_t seed, int n_threads, int ops)
{
	uint64_t rng = vtb_mix64(seed + 99);

	memset(p, 0, sizeof(*p));
	p->n_threads = n_threads;
	p->n_vars = 2;
	p->n_locks = p->n_conds = 1;
	p->kinds = 1u << VTB_DEV_TIMEOUT | 1u << VTB_DEV_SPURIOUS | 1u << VTB_DEV_WAITER | 1u << VTB_DEV_CAS_FAIL;
	prog_create_all(p);
	for (int t = 1; t < n_threads; t++) {
		int left = 1 + (int)vtb_rng_below(&rng, (uint64_t)ops), tries = 0;

		while (left > 0 && tries++ < 20)
			left -= random_chance(p, t, left, &rng);
		if (vtb_rng_below(&rng, 3) == 0)
			random_assertion(p, t, &rng);
	}
	prog_join_all(p);
}

void prog_print(const struct prog *p)
{
	static const char *const names[] = { "read",     "write",     "store",     "lock", "trylock", "unlock", "wait",
		                             "signal",   "broadcast", "timedwait", "cas",  "create",  "join",   "skip",
		                             "assert==", "assert!=",  "same",      "le",   "or" };

	for (int t = 0; t < p->n_threads; t++) {
		fprintf(stderr, "thread %d:\n", t);
		for (int i = 0; i < p->threads[t].n; i++) {
			const struct prog_instr *in = &p->threads[t].code[i];

			fprintf(stderr, "  %d %s obj %d reg %d k %d n %d\n", i, names[in->code], in->obj, in->reg,
			        in->k, in->n);
		}
	}
}

/* ---- figures 1-4 and 8-10 of [CVT13] */

const struct prog_figure prog_figures[PROG_FIGURES] = {
	{ "figure 1", { .c = 0, .v = 0, .t = 2 } },  { "figure 2", { .c = 1, .v = 1, .t = 2 } },
	{ "figure 3", { .c = 2, .v = 1, .t = 2 } },  { "figure 4", { .c = 2, .v = 2, .t = 2 } },
	{ "figure 8", { .c = 0, .v = 0, .t = 3 } },  { "figure 9", { .c = 1, .v = 1, .t = 3 } },
	{ "figure 10", { .c = 2, .v = 2, .t = 3 } },
};

static void add_read(struct prog *p, int thread, int var, int reg)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = reg });
}

static void add_write(struct prog *p, int thread, int var, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = k });
}

/* a++ is a read and a write, as compiled. */
static void add_increment(struct prog *p, int thread, int var)
{
	add_read(p, thread, var, 5);
	prog_add(p, thread, (struct prog_instr){ .code = P_STORE, .obj = var, .reg = 5, .k = 1 });
}

static void figure_body(int i, struct prog *p)
{
	switch (i) {
	case 0:
		add_read(p, 1, 0, 0);
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 0 });
		add_increment(p, 2, 0);
		break;
	case 1:
		add_read(p, 1, 0, 0);
		add_read(p, 1, 0, 1);
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
		add_increment(p, 2, 0);
		break;
	case 2:
		add_read(p, 1, 0, 0);
		add_read(p, 1, 0, 1);
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
		add_write(p, 2, 0, 1);
		add_write(p, 2, 0, 0);
		break;
	case 3:
		add_read(p, 1, 0, 0);
		add_read(p, 1, 0, 1);
		add_read(p, 1, 1, 2);
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_OR, .reg = 0, .reg2 = 1, .reg3 = 2, .k = 1 });
		add_write(p, 2, 0, 1);
		add_write(p, 2, 1, 1);
		add_write(p, 2, 1, 0);
		break;
	case 4:
		add_increment(p, 1, 0);
		add_increment(p, 2, 0);
		add_read(p, 3, 0, 0);
		prog_add(p, 3, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 0, .k = 2 });
		break;
	case 5:
		add_read(p, 1, 0, 0);
		add_read(p, 1, 0, 1);
		prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_LE, .reg = 1, .reg2 = 0, .k = 1 });
		add_increment(p, 2, 0);
		add_increment(p, 3, 0);
		break;
	default:
		add_read(p, 1, 0, 0);
		add_read(p, 1, 0, 1);
		add_read(p, 1, 1, 2);
		add_read(p, 1, 1, 3);
		prog_add(
		    p, 1,
		    (struct prog_instr){ .code = P_ASSERT_OR, .reg = 0, .reg2 = 1, .reg3 = 2, .reg4 = 3, .k = -1 });
		add_increment(p, 2, 0);
		add_increment(p, 3, 1);
		break;
	}
}

void prog_figure(int i, struct prog *p)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = i < 4 ? 3 : 4;
	p->n_vars = 2;
	p->n_locks = p->n_conds = 1;
	prog_create_all(p);
	figure_body(i, p);
	prog_join_all(p);
}
