/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of what lies on the heap, run after run: they must be those that the first run of a fresh ingest gives. */
#include "ingest_program.h"

#define RUNS 150u
#define OPERATIONS 500u
#define PLACES 12u
#define PLACE_BYTES 0x10000u

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Three kinds of blocks: small, large, and large with a rest. */
static const uint64_t sizes[] = { 200, 8192, 0xc003 };
static uint64_t makers[3]; /* where the program makes them */

static void add_access(struct stream *s, uint64_t at, uint64_t bytes, uint64_t random)
{
	const unsigned size_log2 = random & 3;
	const uint64_t offset = (random >> 8) % (random >> 52 & 3 ? 64 : bytes - 16); /* most where others were */
	const uint64_t aligned = offset >> size_log2 << size_log2;

	if (random >> 40 & 15)
		PUT(s, READ, at + (random >> 44 & 7 ? aligned : offset), makers[0], .size_log2 = size_log2);
	else if (random >> 44 & 1)
		PUT(s, LOCK, at + aligned, makers[0], 0);
	else
		PUT(s, WRITE, at + offset, makers[0], .size_log2 = 15, .arg = 3, .flags = VTB_REC_ARG);
}

/* Blocks come, are touched in many ways, go, and others come where they lay. Equal seeds make equal runs; others have
 * the same blocks elsewhere and in another order. */
static void add_run(struct stream *s, uint64_t seed)
{
	uint64_t kinds[PLACES] = { 0 }; /* of the block that lies there, from 1 */

	PUT_CREATE(s, 1, 0, makers[0]);
	for (unsigned i = 0; i < OPERATIONS; i++) {
		const uint64_t random = next(&seed), place = random >> 56 & 7 ? random % 3 : random % PLACES;
		const uint64_t at = HEAP + place * PLACE_BYTES;

		if (random >> 50 & 1)
			PUT_SWITCH(s, random >> 51 & 1);
		if (!kinds[place] && random >> 9 & 1) {
			add_access(s, at, sizes[0], next(&seed)); /* nobody told of a block there */
		} else if (!kinds[place] || random >> 58 == 0) {
			kinds[place] = 1 + (random >> 10) % 3;
			PUT_ALLOC(s, at, makers[kinds[place] - 1], sizes[kinds[place] - 1]);
		} else if (random >> 16 & 63) {
			add_access(s, at, sizes[kinds[place] - 1], next(&seed));
		} else {
			PUT(s, FREE, at, makers[0], 0);
		}
	}
}

static void compare(const struct program *p, const struct program *q)
{
	assert_int_equal(p->x.n_events, q->x.n_events);
	for (size_t i = 0; i < p->x.n_events; i++) {
		assert_int_equal(p->x.events[i].var == VTB_NONE, q->x.events[i].var == VTB_NONE);
		if (p->x.events[i].var != VTB_NONE)
			assert_string_equal(name_of(p, i), name_of(q, i));
	}
}

static void names_do_not_depend_on_the_runs_before(void **state)
{
	struct program *p = open_program(fixtures[0]);
	uint64_t seed = 42;

	(void)state;
	makers[0] = address_of('p', "main");
	makers[1] = makers[0] + 8;
	makers[2] = makers[0] + 16;
	for (unsigned i = 0; i < RUNS; i++) {
		const uint64_t which = 1 + next(&seed) % 7 * (next(&seed) % 3 ? 1 : i);
		struct program *q = open_program(fixtures[0]);

		add_run(&p->s, which);
		assert_int_equal(run(p), 0);
		add_run(&q->s, which);
		assert_int_equal(run(q), 0);
		compare(p, q);
		close_program(q);
	}
	close_program(p);
}

/* A mutex in a block that was freed: the hook tells of it where its call returns to, as of any lock. */
static void what_fails_in_a_call_is_where_it_is_in_runs_that_pass(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main"), mutex = address_of('g', "accounts[1].m");
	uint32_t site;

	(void)state;
	PUT(&p->s, LOCK, mutex, pc, .value = 0, .flags = VTB_REC_VALUE);
	assert_int_equal(run(p), 0);
	site = p->x.events[0].site;
	for (unsigned round = 0; round < 2; round++) {
		PUT(&p->s, LOCK, mutex, pc, .value = 0, .flags = VTB_REC_VALUE);
		p->outcome = (struct vtb_wire_outcome){ .verdict = VTB_V_MEMORY, .pc = pc, .fault = mutex };
		assert_int_equal(run(p), 0);
		assert_int_equal(p->x.events[0].site, site);
		assert_int_equal(p->x.outcome.site, site);
	}
	close_program(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fails_in_a_call_is_where_it_is_in_runs_that_pass),
		cmocka_unit_test(names_do_not_depend_on_the_runs_before),
	};

	return cmocka_run_group_tests_name("ingest_heap", tests, NULL, NULL);
}
