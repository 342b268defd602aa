/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of many places and of many records. */
#include "ingest_program.h"

#define PLACES 20000u /* more than the cache of addresses holds at first */
#define AT_A_TIME 200u

/* The variable of each of these, in ret[]. */
static void read_places(struct program *p, uint32_t ret[PLACES])
{
	const uint64_t pc = address_of('p', "main");

	for (size_t i = 0; i < PLACES; i += AT_A_TIME) {
		for (size_t k = i; k < i + AT_A_TIME; k++)
			PUT(&p->s, READ, BASE + 3 * k, pc);
		assert_int_equal(run(p), 0);
		for (size_t k = i; k < i + AT_A_TIME; k++)
			ret[k] = p->x.events[k - i].var;
	}
}

static void many_places_keep_their_names(void **state)
{
	static uint32_t first[PLACES], again[PLACES], fresh[PLACES];
	struct program *p = open_program(fixtures[0]), *q = open_program(fixtures[0]);

	(void)state;
	read_places(p, first);
	read_places(p, again);
	assert_memory_equal(first, again, sizeof(first));
	read_places(q, fresh);
	assert_memory_equal(first, fresh, sizeof(first));
	for (size_t k = 0; k < PLACES; k++)
		assert_string_equal(vtb_variable_name(&p->tab, first[k]), vtb_variable_name(&q->tab, fresh[k]));
	close_program(p);
	close_program(q);
}

#define LONG_RUN 200000u /* records */

/* `asked`: somebody has said that it should end; else the clock has. */
static int read_long_run(bool asked, size_t *ret_events)
{
	const volatile sig_atomic_t flag = asked;
	struct vtb_stop stop = { .deadline = 1, .interrupted = &flag };
	struct program *p = open_program(fixtures[0]);
	uint64_t *words;
	int r;

	PUT(&p->s, READ, 0x1000, 0x2000);
	words = malloc(LONG_RUN * p->s.n * sizeof(*words));
	assert_non_null(words);
	for (size_t i = 0; i < LONG_RUN; i++)
		memcpy(words + i * p->s.n, p->s.words, p->s.n * sizeof(*words));
	vtb_ingest_until(p->in, &stop);
	r = vtb_ingest_exec(p->in, words, LONG_RUN * p->s.n, &p->outcome, &p->x, &p->err);
	*ret_events = p->x.n_events;
	free(words);
	close_program(p);
	return r;
}

static void a_long_run_is_left_off_if_somebody_asks(void **state)
{
	size_t n;

	(void)state;
	assert_int_equal(read_long_run(true, &n), -ECANCELED);
	assert_int_equal(n, 0);
	assert_int_equal(read_long_run(false, &n), 0);
	assert_int_equal(n, LONG_RUN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_places_keep_their_names),
		cmocka_unit_test(a_long_run_is_left_off_if_somebody_asks),
	};

	return cmocka_run_group_tests_name("ingest_long", tests, NULL, NULL);
}
