/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of up to 40 threads, against clocks kept whole: every operation's, from all the operations before it that it
 * depends on, one by one. Two runs have one fingerprint if and only if the clocks of their operations are the same.
 */
#include "dependence.h"
#include "make_trace.h"

#include "vtb/mazurkiewicz.h"

#define THREADS_MAX 40
#define OPS_MAX 160

struct line {
	struct vtb_event ops[OPS_MAX];
	uint16_t clocks[OPS_MAX][THREADS_MAX]; /* of the operation itself, its own included */
	struct vtb_hash128 prints[OPS_MAX];
	int n;
};

static bool same_print(struct vtb_hash128 a, struct vtb_hash128 b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static void know_whole(struct line *l)
{
	memset(l->clocks, 0, sizeof(l->clocks));
	for (int i = 0; i < l->n; i++) {
		for (int k = 0; k < i; k++)
			for (int t = 0; t < THREADS_MAX && dependent(&l->ops[k], &l->ops[i]); t++)
				if (l->clocks[i][t] < l->clocks[k][t])
					l->clocks[i][t] = l->clocks[k][t];
		l->clocks[i][l->ops[i].thread]++;
	}
}

static void feed_line(struct vtb_mazurkiewicz *m, struct line *l)
{
	vtb_mazurkiewicz_begin(m);
	for (int i = 0; i < l->n; i++) {
		const uint32_t thread = l->ops[i].thread;

		assert_int_equal(vtb_mazurkiewicz_feed(m, &l->ops[i], &l->prints[i]), 0);
		for (uint32_t t = 0; t < THREADS_MAX; t++)
			assert_int_equal(vtb_mazurkiewicz_knows(m, thread, t), l->clocks[i][t]);
	}
}

/* Memory is `places` times as large as that of random_op(). */
static void random_line(struct line *l, uint32_t *seed, uint32_t places)
{
	const uint32_t threads = 2 + next_random(seed) % (next_random(seed) % 2 ? 3 : THREADS_MAX - 1);

	l->n = 1 + (int)(next_random(seed) % OPS_MAX);
	for (int i = 0; i < l->n; i++) {
		l->ops[i] = random_op(seed, (int)(next_random(seed) % threads));
		if (l->ops[i].size)
			l->ops[i].addr += 32 * (next_random(seed) % places);
	}
	know_whole(l);
}

/* Neighbours of different threads change places; of those that depend on each other at most `dependent_ones`. */
static void swap_some(struct line *l, uint32_t *seed, int dependent_ones)
{
	for (int i = 0; l->n > 1 && i < 6 * l->n; i++) {
		const int k = (int)(next_random(seed) % (uint32_t)(l->n - 1));
		const struct vtb_event e = l->ops[k];

		if (e.thread == l->ops[k + 1].thread)
			continue;
		if (dependent(&e, &l->ops[k + 1]) && dependent_ones-- <= 0)
			continue;
		l->ops[k] = l->ops[k + 1];
		l->ops[k + 1] = e;
	}
	know_whole(l);
}

/* The same operations with the same clocks, in whatever order. Operations of a thread are told apart by their number.
 */
static bool equivalent(const struct line *a, const struct line *b)
{
	static uint16_t clocks[THREADS_MAX][OPS_MAX + 1][THREADS_MAX];

	for (int i = 0; i < a->n; i++)
		memcpy(clocks[a->ops[i].thread][a->clocks[i][a->ops[i].thread]], a->clocks[i], sizeof(a->clocks[i]));
	for (int i = 0; i < b->n; i++)
		if (memcmp(clocks[b->ops[i].thread][b->clocks[i][b->ops[i].thread]], b->clocks[i],
		           sizeof(b->clocks[i])) != 0)
			return false;
	return true;
}

static void clocks_and_classes_are_those_that_are_kept_whole(void **state)
{
	static struct line a, b;
	struct vtb_mazurkiewicz *m;
	uint32_t seed = 5;
	int same = 0;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (int round = 0; round < 600; round++) {
		random_line(&a, &seed, 1);
		feed_line(m, &a);
		b = a;
		swap_some(&b, &seed, (int)(next_random(&seed) % 3));
		feed_line(m, &b);
		assert_int_equal(same_print(a.prints[a.n - 1], b.prints[b.n - 1]), equivalent(&a, &b));
		same += equivalent(&a, &b);
	}
	assert_in_range(same, 200, 500); /* both were met often */
	vtb_mazurkiewicz_free(m);
}

/* Does operation i find nothing out, and everybody who depends on it know of it before? */
static bool needs_no_record(const struct line *l, int i)
{
	const struct vtb_event *e = &l->ops[i];
	uint16_t before[THREADS_MAX] = { 0 };

	if (e->kind != VTB_E_READ && e->kind != VTB_E_WRITE && e->kind != VTB_E_FREE)
		return false;
	for (int k = 0; k < l->n; k++) {
		const struct vtb_event *x = &l->ops[k];

		if (k < i && x->thread == e->thread)
			memcpy(before, l->clocks[k], sizeof(before));
		if (k <= i || x->thread == e->thread || !dependent(x, e))
			continue;
		for (int last = k - 1; last >= 0; last--) /* what its thread knew: that of its operation before */
			if (l->ops[last].thread == x->thread) {
				if (l->clocks[last][e->thread] < l->clocks[i][e->thread])
					return false;
				break;
			} else if (last == 0) {
				return false;
			}
	}
	before[e->thread]++;
	return memcmp(before, l->clocks[i], sizeof(before)) == 0;
}

static int tell_by_number(const struct line *from, struct line *to, uint32_t *seed)
{
	int n = 0;

	*to = *from;
	for (int i = 0; i < from->n; i++)
		if (next_random(seed) % 4 && needs_no_record(from, i)) {
			to->ops[i] = (struct vtb_event){
				.kind = VTB_E_OWNED, .thread = from->ops[i].thread, .var = VTB_NONE, .value = 1
			};
			n++;
		}
	return n;
}

static void it_makes_no_difference_whether_what_is_known_is_told(void **state)
{
	static struct line a, b;
	struct vtb_mazurkiewicz *m;
	uint32_t seed = 9;
	int told = 0;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (int round = 0; round < 600; round++) {
		random_line(&a, &seed, 20);
		feed_line(m, &a);
		told += tell_by_number(&a, &b, &seed);
		vtb_mazurkiewicz_begin(m);
		for (int i = 0; i < b.n; i++) {
			assert_int_equal(vtb_mazurkiewicz_feed(m, &b.ops[i], &b.prints[i]), 0);
			assert_true(same_print(a.prints[i], b.prints[i]));
		}
	}
	assert_true(told > 2000);
	vtb_mazurkiewicz_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_and_classes_are_those_that_are_kept_whole),
		cmocka_unit_test(it_makes_no_difference_whether_what_is_known_is_told),
	};

	return cmocka_run_group_tests_name("many_threads", tests, NULL, NULL);
}
