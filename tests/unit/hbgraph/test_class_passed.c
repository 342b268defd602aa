/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which accesses may be told by their number (OWNED) without changing the class, by brute force over random runs: those
 * that learn nothing, and that are for no operation of another thread among the last of what it learns. Who touches
 * their place later comes after something else that comes after them.
 */
#include "dependence.h"
#include "make_trace.h"

#include "vtb/mazurkiewicz.h"

#define OPS 24u

struct run {
	struct vtb_event ops[OPS];
	uint32_t before[OPS]; /* bit set: what it comes after */
	uint32_t learns[OPS]; /* of these, what the operation before it in its thread does not come after */
};

static void order(struct run *run)
{
	for (unsigned i = 0; i < OPS; i++) {
		uint32_t known = 0;

		run->before[i] = 0;
		for (unsigned k = 0; k < i; k++) {
			const bool own = run->ops[k].thread == run->ops[i].thread;

			if (own || dependent(&run->ops[k], &run->ops[i]))
				run->before[i] |= run->before[k] | 1u << k;
			if (own)
				known |= run->before[k] | 1u << k;
		}
		run->learns[i] = run->before[i] & ~known;
	}
}

static bool is_last_of(const struct run *run, unsigned m, uint32_t set)
{
	for (unsigned k = m + 1; k < OPS; k++)
		if (set >> k & 1 && run->before[k] >> m & 1)
			return false;
	return set >> m & 1;
}

static bool may_be_passed(const struct run *run, unsigned m)
{
	if (run->ops[m].kind > VTB_E_ATOMIC_CAS_FAIL || run->learns[m])
		return false;
	for (unsigned e = m + 1; e < OPS; e++)
		if (is_last_of(run, m, run->learns[e]))
			return false;
	return true;
}

/* Does another thread touch its place later? */
static bool is_met(const struct run *run, unsigned m)
{
	for (unsigned e = m + 1; e < OPS; e++)
		if (run->ops[e].thread != run->ops[m].thread && dependent(&run->ops[m], &run->ops[e]))
			return true;
	return false;
}

static void what_nobody_learns_of_directly_is_told_by_its_number(void **state)
{
	uint32_t seed = 5;
	int passed = 0, met = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct vtb_hash128 whole, less;
		struct vtb_event told[OPS];
		struct run run;

		for (unsigned i = 0; i < OPS; i++)
			run.ops[i] = random_op(&seed, (int)(next_random(&seed) % 4));
		order(&run);
		for (unsigned i = 0; i < OPS; i++) {
			told[i] = run.ops[i];
			if (!may_be_passed(&run, i))
				continue;
			told[i] = (struct vtb_event){ .kind = VTB_E_OWNED, .thread = run.ops[i].thread, .value = 1 };
			passed++;
			met += is_met(&run, i);
		}
		assert_int_equal(vtb_mazurkiewicz_of(run.ops, OPS, NULL, &whole), 0);
		assert_int_equal(vtb_mazurkiewicz_of(told, OPS, NULL, &less), 0);
		assert_true(whole.lo == less.lo && whole.hi == less.hi);
	}
	assert_true(passed > 10000 && met > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_learns_of_directly_is_told_by_its_number),
	};

	return cmocka_run_group_tests_name("class_passed", tests, NULL, NULL);
}
