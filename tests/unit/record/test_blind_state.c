/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known where the ways round a loop meet comes to rest, whatever the loop does to registers. */
#include "state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define LOOPS 3000u
#define STEPS 5u    /* of a loop's body */
#define REGS 4u     /* that it uses */
#define CHANGES 64u /* 24 that go by what places have to do with each other, then one for each place */

/* One step of a body: reg = a + times * b + offset. */
struct step {
	uint32_t reg, a, b;
	int64_t times, offset;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

static void choose(uint64_t *seed, struct step steps[STEPS])
{
	static const int64_t times[] = { 0, 1, -1, 2 }, offsets[] = { 0, 0, 1, 8, -8 };

	for (uint32_t i = 0; i < STEPS; i++) {
		const uint32_t reg = below(seed, REGS);
		const bool counts = below(seed, 2);

		steps[i] = (struct step){ .reg = reg,
			                  .a = counts ? reg : below(seed, REGS),
			                  .b = below(seed, REGS),
			                  .times = counts ? 0 : times[below(seed, 4)],
			                  .offset = offsets[below(seed, 5)] };
	}
}

static void go_round(struct blind_values *v, const struct step steps[STEPS], struct blind_state *s)
{
	for (uint32_t i = 0; i < STEPS; i++) {
		const struct step *p = &steps[i];

		s->regs[p->reg] = blind_sum(v, s->regs[p->a], s->regs[p->b], p->times);
		s->regs[p->reg].offset += p->offset;
	}
}

/* What registers hold before the loop: sums of one to four unknown things, the more of which a form has no room for. */
static struct blind_value before(uint64_t *seed, struct blind_values *v)
{
	struct blind_value x = { 0 };

	for (uint32_t n = 1 + below(seed, BLIND_TERMS); n > 0; n--)
		x = blind_sum(v, x, blind_atom(v, BLIND_ENTRY, below(seed, OPS_GPRS), 0, 0, false), 1);
	return x;
}

static uint32_t changes_of(uint64_t *seed, const struct step steps[STEPS])
{
	struct blind_ranges none = { 0 };
	struct blind_values v = { .writable = &none };
	struct blind_state begin = { .reached = true }, now = { 0 };
	uint32_t n = 0;
	int r = 1;

	blind_values_empty(&v);
	for (uint32_t i = 0; i < REGS; i++)
		begin.regs[i] = before(seed, &v);
	while (r > 0 && n <= CHANGES) {
		assert_int_equal(blind_state_copy(&now, &begin), 0);
		go_round(&v, steps, &now);
		r = blind_state_meet(&v, &begin, &now, 1);
		n += r > 0;
	}
	assert_true(r >= 0);
	assert_false(v.failed);
	blind_state_fini(&begin);
	blind_state_fini(&now);
	blind_values_fini(&v);
	return n;
}

static void test_loops_settle(void **state)
{
	uint64_t seed = 0;
	uint32_t most = 0;

	(void)state;
	for (uint32_t i = 0; i < LOOPS; i++) {
		struct step steps[STEPS];
		uint32_t n;

		choose(&seed, steps);
		n = changes_of(&seed, steps);
		most = n > most ? n : most;
		if (n > CHANGES)
			fail_msg("loop %u does not settle", i);
	}
	print_message("at most %u changes\n", most);
}

/* Sums that are equal have equal forms, however they came about and however many there are. */
static void test_sums(void **state)
{
	enum { ATOMS = 3000 };
	static struct blind_value x[ATOMS], sums[ATOMS];
	struct blind_ranges none = { 0 };
	struct blind_values v = { .writable = &none };

	(void)state;
	blind_values_empty(&v);
	for (uint64_t i = 0; i < ATOMS; i++)
		x[i] = blind_atom(&v, BLIND_MADE, i, 0, 0, false);
	for (uint64_t i = 1; i < ATOMS; i++)
		sums[i] = blind_sum(&v, x[i - 1], x[i], 3);
	for (uint64_t i = 1; i < ATOMS; i++) {
		const struct blind_value three = blind_sum(&v, blind_number(0), x[i], 3);
		struct blind_value same = blind_sum(&v, three, x[i - 1], 1);

		assert_true(blind_equal(same, sums[i]));
		same = blind_sum(&v, blind_sum(&v, same, x[(i + 7) % ATOMS], 5), x[(i + 7) % ATOMS], -5);
		assert_true(blind_equal(same, sums[i]));
		assert_true(blind_sums_equal(&v, (struct blind_value[]){ three, x[i - 1] },
		                             (struct blind_value[]){ sums[i], blind_number(0) }, 1));
		assert_false(blind_sums_equal(&v, (struct blind_value[]){ three, x[i - 1] },
		                              (struct blind_value[]){ sums[i], blind_number(8) }, 1));
		assert_true(i == 1 || !blind_equal(sums[i - 1], sums[i]));
	}
	blind_values_fini(&v);
}

/* A hook explains one access of its size and mode, wherever that goes: what is known of addresses may be too little. */
static void test_a_hook_explains_one_access(void **state)
{
	const struct blind_value x = { .form = 1, .offset = 8 }, y = { .form = 2, .offset = 0 };
	struct blind_state s = { .reached = true };

	(void)state;
	assert_int_equal(blind_tell(&s, x, 4, OPS_READS, false), 0);
	assert_true(blind_is_explained(&s, 4, OPS_READS));
	assert_false(blind_is_explained(&s, 8, OPS_READS));
	assert_false(blind_is_explained(&s, 4, OPS_WRITES));
	assert_false(blind_is_explained(&s, 4, OPS_READS | OPS_WRITES));
	blind_use(&s, x, 4, OPS_READS);
	assert_false(blind_is_explained(&s, 4, OPS_READS));
	assert_int_equal(blind_tell(&s, x, 4, OPS_READS, false), 0);
	assert_int_equal(blind_tell(&s, x, 4, OPS_WRITES, false), 0);
	assert_true(blind_is_explained(&s, 4, OPS_READS | OPS_WRITES));
	blind_use(&s, y, 4, OPS_READS | OPS_WRITES);
	assert_false(blind_is_explained(&s, 4, OPS_READS));
	assert_false(blind_is_explained(&s, 4, OPS_WRITES));
	assert_true(blind_is_told(&s, x, 4, OPS_READS | OPS_WRITES));
	blind_state_fini(&s);
}

/* Where ways meet it still explains one if none was made on one of them. */
static void test_it_does_behind_the_way_without_it(void **state)
{
	const struct blind_value x = { .form = 1, .offset = 8 }, none = { .form = 2, .offset = 0 };
	struct blind_ranges ranges = { 0 };
	struct blind_values v = { .writable = &ranges };
	struct blind_state made = { .reached = true }, not_made = { .reached = true }, met = { 0 };

	(void)state;
	blind_values_empty(&v);
	assert_int_equal(blind_tell(&made, x, 4, OPS_READS, false), 0);
	assert_int_equal(blind_tell(&made, none, 0, OPS_READS, false), 0); /* a copy of no bytes */
	assert_int_equal(blind_state_copy(&not_made, &made), 0);
	blind_use(&made, x, 4, OPS_READS);
	assert_int_equal(blind_state_meet(&v, &met, &made, 0), 1);
	assert_false(blind_is_explained(&met, 4, OPS_READS));
	assert_int_equal(blind_state_meet(&v, &met, &made, 0), 0);
	assert_int_equal(blind_state_meet(&v, &met, &not_made, 0), 1);
	assert_true(blind_is_explained(&met, 4, OPS_READS));
	assert_int_equal(blind_state_meet(&v, &met, &made, 0), 0);
	blind_state_fini(&made);
	blind_state_fini(&not_made);
	blind_state_fini(&met);
	blind_values_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops_settle),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_a_hook_explains_one_access),
		cmocka_unit_test(test_it_does_behind_the_way_without_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
