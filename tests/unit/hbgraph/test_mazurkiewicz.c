/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Against brute force: all linearisations of small random programs, joined into classes by swapping adjacent
 * independent operations (union-find), must fall into the same groups as their fingerprints.
 */
#include "dependence.h"
#include "make_trace.h"

#include "vtb/mazurkiewicz.h"

#define OPS_MAX 9
#define LINES_MAX 1700 /* 9! / 3!^3 = 1680 */

struct program {
	struct vtb_event ops[OPS_MAX];
	int n;
	int threads;
};

struct line {
	uint8_t order[OPS_MAX]; /* operations in the order in which they take place */
	struct vtb_hash128 print[OPS_MAX + 1];
	int parent;
};

static struct line lines[LINES_MAX];
static int n_lines;

static void random_program(struct program *p, uint32_t *seed)
{
	p->threads = 2 + (int)(next_random(seed) % 2);
	p->n = 0;
	for (int t = 0; t < p->threads; t++)
		for (uint32_t i = 0, n = 1 + next_random(seed) % 3; i < n; i++)
			p->ops[p->n++] =
			    random_op(seed, t == 2 ? 5 : t); /* threads need not be numbered without gaps */
}

/* ---- all linearisations, and their classes by swapping */

static void enumerate(const struct program *p, uint8_t *order, int at, unsigned done)
{
	if (at == p->n) {
		assert_true(n_lines < LINES_MAX);
		memcpy(lines[n_lines].order, order, OPS_MAX);
		lines[n_lines].parent = n_lines;
		n_lines++;
		return;
	}
	for (int i = 0; i < p->n; i++) {
		const bool first_of_thread =
		    i == 0 || p->ops[i - 1].thread != p->ops[i].thread || (done >> (i - 1) & 1);

		if (done >> i & 1 || !first_of_thread)
			continue;
		order[at] = (uint8_t)i;
		enumerate(p, order, at + 1, done | 1u << i);
	}
}

static int root(int i)
{
	while (lines[i].parent != i)
		i = lines[i].parent = lines[lines[i].parent].parent;
	return i;
}

static int find_line(const uint8_t *order, int n)
{
	int low = 0, high = n_lines; /* enumerate() makes them in ascending order */

	while (low < high) {
		const int middle = (low + high) / 2;

		if (memcmp(lines[middle].order, order, (size_t)n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	assert_memory_equal(lines[low].order, order, (size_t)n);
	return low;
}

static void join_by_swaps(const struct program *p)
{
	for (int i = 0; i < n_lines; i++)
		for (int k = 0; k + 1 < p->n; k++) {
			uint8_t swapped[OPS_MAX];

			if (dependent(&p->ops[lines[i].order[k]], &p->ops[lines[i].order[k + 1]]))
				continue;
			memcpy(swapped, lines[i].order, OPS_MAX);
			swapped[k] = lines[i].order[k + 1];
			swapped[k + 1] = lines[i].order[k];
			lines[root(i)].parent = root(find_line(swapped, p->n));
		}
}

static void fingerprint_lines(struct vtb_mazurkiewicz *m, const struct program *p)
{
	for (int i = 0; i < n_lines; i++) {
		vtb_mazurkiewicz_begin(m);
		for (int k = 0; k < p->n; k++)
			assert_int_equal(vtb_mazurkiewicz_feed(m, &p->ops[lines[i].order[k]], &lines[i].print[k + 1]),
			                 0);
	}
}

static bool same_print(struct vtb_hash128 a, struct vtb_hash128 b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static int compare_by_print(const void *x, const void *y)
{
	const struct line *a = &lines[*(const int *)x], *b = &lines[*(const int *)y];
	const struct vtb_hash128 m = a->print[OPS_MAX], n = b->print[OPS_MAX];

	return m.lo != n.lo ? (m.lo < n.lo ? -1 : 1) : m.hi < n.hi ? -1 : m.hi > n.hi;
}

/* As many prints as classes, and members of one class have one print: then the groups are the same. */
static int count_groups(int n_ops, int *ret_classes)
{
	static int sorted[LINES_MAX];
	int prints = 0;

	*ret_classes = 0;
	for (int i = 0; i < n_lines; i++) {
		lines[i].print[OPS_MAX] = lines[i].print[n_ops];
		sorted[i] = i;
		*ret_classes += root(i) == i;
		assert_true(same_print(lines[i].print[n_ops], lines[root(i)].print[n_ops]));
	}
	qsort(sorted, (size_t)n_lines, sizeof(*sorted), compare_by_print);
	for (int i = 0; i < n_lines; i++)
		prints += i == 0 || compare_by_print(&sorted[i], &sorted[i - 1]) != 0;
	return prints;
}

static void fingerprints_and_classes_are_the_same_groups(void **state)
{
	struct vtb_mazurkiewicz *m;
	uint32_t seed = 1;
	int merged = 0;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (int round = 0; round < 400; round++) {
		struct program p;
		uint8_t order[OPS_MAX] = { 0 };
		int classes, prints;

		random_program(&p, &seed);
		n_lines = 0;
		enumerate(&p, order, 0, 0);
		join_by_swaps(&p);
		fingerprint_lines(m, &p);
		prints = count_groups(p.n, &classes);
		assert_int_equal(prints, classes);
		merged += n_lines - classes;
	}
	assert_true(merged > 1000); /* the programs did have equivalent linearisations */
	vtb_mazurkiewicz_free(m);
}

/* Which events, and which way round each dependent pair: equal for two prefixes if and only if they are equivalent. */
static void key_of_prefix(const struct program *p, const struct line *l, int n, uint16_t key[OPS_MAX + 1])
{
	memset(key, 0, (OPS_MAX + 1) * sizeof(*key));
	for (int i = 0; i < n; i++) {
		key[OPS_MAX] |= (uint16_t)(1u << l->order[i]);
		for (int k = 0; k < i; k++)
			if (dependent(&p->ops[l->order[k]], &p->ops[l->order[i]]))
				key[l->order[i]] |= (uint16_t)(1u << l->order[k]);
	}
}

static void prefixes_have_equal_fingerprints_exactly_if_equivalent(void **state)
{
	struct vtb_mazurkiewicz *m;
	uint32_t seed = 77;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (int round = 0; round < 200; round++) {
		struct program p;
		uint8_t order[OPS_MAX] = { 0 };

		random_program(&p, &seed);
		n_lines = 0;
		enumerate(&p, order, 0, 0);
		fingerprint_lines(m, &p);
		for (int pair = 0; pair < 2000; pair++) {
			const struct line *a = &lines[next_random(&seed) % (unsigned)n_lines],
			                  *b = &lines[next_random(&seed) % (unsigned)n_lines];
			const int n = 1 + (int)(next_random(&seed) % (unsigned)p.n),
			          k = 1 + (int)(next_random(&seed) % (unsigned)p.n);
			uint16_t x[OPS_MAX + 1], y[OPS_MAX + 1];

			key_of_prefix(&p, a, n, x);
			key_of_prefix(&p, b, k, y);
			assert_int_equal(same_print(a->print[n], b->print[k]), !memcmp(x, y, sizeof(x)));
		}
	}
	vtb_mazurkiewicz_free(m);
}

static void only_visible_operations_count(void **state)
{
	struct vtb_event e = { .kind = VTB_E_ALLOC, .addr = 64, .size = 8, .var = VTB_NONE };
	struct vtb_hash128 print;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_of(&e, 1, NULL, &print), 0);
	assert_true(same_print(print, (struct vtb_hash128){ 0 }));
	e.kind = 13; /* no such kind */
	assert_int_equal(vtb_mazurkiewicz_of(&e, 1, NULL, &print), 0);
	assert_true(same_print(print, (struct vtb_hash128){ 0 }));
	assert_int_equal(vtb_mazurkiewicz_of(NULL, 0, NULL, &print), 0);
	assert_true(same_print(print, (struct vtb_hash128){ 0 }));
}

static void a_deviation_makes_another_class(void **state)
{
	struct vtb_event e = { .kind = VTB_E_COND_SIGNAL, .var = 3, .addr = 64 };
	struct vtb_hash128 plain, second, third;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_of(&e, 1, NULL, &plain), 0);
	e.deviation = VTB_DEV_WAITER;
	e.flags = VTB_EVF_DEVIATED;
	e.place = 1;
	assert_int_equal(vtb_mazurkiewicz_of(&e, 1, NULL, &second), 0);
	e.place = 2;
	assert_int_equal(vtb_mazurkiewicz_of(&e, 1, NULL, &third), 0);
	assert_false(same_print(plain, second));
	assert_false(same_print(second, third));
}

static void a_late_thread_with_a_high_number_keeps_what_is_known(void **state)
{
	struct vtb_event e[3] = {
		{ .kind = VTB_E_WRITE, .thread = 0, .addr = 64, .size = 4, .var = VTB_NONE },
		{ .kind = VTB_E_READ, .thread = 900, .addr = 66, .size = 1, .var = VTB_NONE },
		{ .kind = VTB_E_WRITE, .thread = 3, .addr = 64, .size = 8, .var = VTB_NONE },
	};
	struct vtb_mazurkiewicz *m;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(vtb_mazurkiewicz_feed(m, &e[i], NULL), 0);
	assert_int_equal(vtb_mazurkiewicz_knows(m, 3, 0), 1);
	assert_int_equal(vtb_mazurkiewicz_knows(m, 3, 3), 1);
	assert_int_equal(vtb_mazurkiewicz_knows(m, 3, 900), 1);
	assert_int_equal(vtb_mazurkiewicz_knows(m, 3, 5000), 0);
	assert_int_equal(vtb_mazurkiewicz_knows(m, 5000, 3), 0);
	vtb_mazurkiewicz_free(m);
}

static void an_unknown_address_touches_nothing(void **state)
{
	struct vtb_event a = {
		.kind = VTB_E_WRITE, .thread = 0, .flags = VTB_EVF_ADDR_UNKNOWN, .size = 4, .var = VTB_NONE
	};
	struct vtb_event b = {
		.kind = VTB_E_WRITE, .thread = 1, .flags = VTB_EVF_ADDR_UNKNOWN, .size = 4, .var = VTB_NONE
	};
	struct vtb_hash128 ab, ba;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_of((struct vtb_event[]){ a, b }, 2, NULL, &ab), 0);
	assert_int_equal(vtb_mazurkiewicz_of((struct vtb_event[]){ b, a }, 2, NULL, &ba), 0);
	assert_true(same_print(ab, ba));
}

static void ranges_at_the_end_of_the_address_space_are_harmless(void **state)
{
	struct vtb_event e[] = {
		{ .kind = VTB_E_WRITE, .thread = 0, .addr = UINT64_MAX, .size = 8, .var = VTB_NONE },
		{ .kind = VTB_E_FREE, .thread = 1, .addr = UINT64_MAX - 700, .size = UINT32_MAX, .var = VTB_NONE },
		{ .kind = VTB_E_FREE, .thread = 0, .addr = UINT64_MAX - 100000, .size = 99999, .var = VTB_NONE },
		{ .kind = VTB_E_READ, .thread = 2, .addr = UINT64_MAX - 3, .size = 16, .var = VTB_NONE },
	};
	struct vtb_hash128 print;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_of(e, 4, NULL, &print), 0);
	assert_false(same_print(print, (struct vtb_hash128){ 0 }));
}

/* Some places are far from the others; some runs are long enough for whoever keeps places to forget them. */
static void random_run(struct vtb_event *ops, int n, uint32_t *seed)
{
	for (int i = 0; i < n; i++) {
		const uint32_t far = next_random(seed) % 8;

		ops[i] = random_op(seed, (int)(next_random(seed) % 4));
		if (far < 6)
			ops[i].addr += 512 * (uint64_t)far;
		else if (n > 100)
			ops[i].addr += 8 * (uint64_t)i;
		if (far == 0 && ops[i].var != VTB_NONE)
			ops[i].var += 1u << 20;
	}
}

static void a_run_is_told_as_if_it_were_the_first(void **state)
{
	static struct vtb_event ops[3000];
	struct vtb_mazurkiewicz *m;
	uint32_t seed = 11;

	(void)state;
	assert_int_equal(vtb_mazurkiewicz_new(NULL, &m), 0);
	for (int run = 0; run < 1500; run++) {
		const int n = 1 + (int)(next_random(&seed) % (run % 50 ? 60 : 3000));
		struct vtb_hash128 again, first;
		struct vtb_mazurkiewicz *fresh;

		random_run(ops, n, &seed);
		assert_int_equal(vtb_mazurkiewicz_new(NULL, &fresh), 0);
		vtb_mazurkiewicz_begin(m);
		for (int i = 0; i < n; i++) {
			assert_int_equal(vtb_mazurkiewicz_feed(m, &ops[i], &again), 0);
			assert_int_equal(vtb_mazurkiewicz_feed(fresh, &ops[i], &first), 0);
			assert_true(same_print(again, first));
		}
		vtb_mazurkiewicz_free(fresh);
	}
	vtb_mazurkiewicz_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fingerprints_and_classes_are_the_same_groups),
		cmocka_unit_test(prefixes_have_equal_fingerprints_exactly_if_equivalent),
		cmocka_unit_test(only_visible_operations_count),
		cmocka_unit_test(a_deviation_makes_another_class),
		cmocka_unit_test(a_late_thread_with_a_high_number_keeps_what_is_known),
		cmocka_unit_test(an_unknown_address_touches_nothing),
		cmocka_unit_test(ranges_at_the_end_of_the_address_space_are_harmless),
		cmocka_unit_test(a_run_is_told_as_if_it_were_the_first),
	};

	return cmocka_run_group_tests_name("mazurkiewicz", tests, NULL, NULL);
}
