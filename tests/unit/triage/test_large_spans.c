/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What large accesses touch, against a look at each word of each of them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"
#include "large_spans.h"

#define ACCESSES 14

static bool shares_a_word(const struct vtb_event *a, const struct vtb_event *b)
{
	for (uint64_t word = a->addr / VTB_LARGE_WORD; word <= (a->addr + a->size - 1) / VTB_LARGE_WORD; word++)
		if (word >= b->addr / VTB_LARGE_WORD && word <= (b->addr + b->size - 1) / VTB_LARGE_WORD)
			return true;
	return false;
}

static bool is_touched(const struct vtb_exec *x, const struct vtb_event *e, bool of_others)
{
	bool is = false;

	for (size_t i = 0; i < x->n_events; i++)
		is |= vtb_large_is(&x->events[i]) && (!of_others || x->events[i].thread != e->thread) &&
		      shares_a_word(&x->events[i], e);
	return is && vtb_large_is_plain(e);
}

/* Disjoint, in order, neighbours differ. */
static void check_form(const struct vtb_large_spans *s)
{
	for (size_t i = 0; i < s->n; i++) {
		assert_true(s->spans[i].lo < s->spans[i].hi);
		assert_true(i == 0 || s->spans[i - 1].hi < s->spans[i].lo ||
		            (s->spans[i - 1].hi == s->spans[i].lo && s->spans[i - 1].thread != s->spans[i].thread));
	}
}

static void every_access_is_told_what_it_touches(void **state)
{
	static const uint8_t kinds[] = { VTB_E_READ, VTB_E_WRITE, VTB_E_WRITE, VTB_E_ATOMIC_RMW };
	unsigned met[2] = { 0 };

	(void)state;
	srand(7);
	for (unsigned round = 0; round < CASES(4000); round++) {
		struct vtb_event events[ACCESSES];
		struct vtb_large_spans spans;

		for (size_t i = 0; i < ACCESSES; i++)
			events[i] = (struct vtb_event){ .kind = kinds[rand() % 4],
				                        .thread = (uint16_t)(rand() % 4),
				                        .addr = 0x1000 + (uint64_t)rand() % 300,
				                        .size = 1 + (uint32_t)rand() % (rand() % 3 ? 20 : 90) };
		const struct vtb_exec x = { .events = events, .n_events = (size_t)rand() % (ACCESSES + 1) };

		assert_int_equal(vtb_large_spans_of(&x, &spans), 0);
		check_form(&spans);
		for (size_t i = 0; i < ACCESSES; i++) /* also those that the run has not */
			for (int of_others = 0; of_others < 2; of_others++) {
				const bool is = is_touched(&x, &events[i], of_others);

				assert_int_equal(vtb_large_spans_touched(&spans, &events[i], of_others), is);
				met[of_others] += is;
			}
		vtb_large_spans_fini(&spans);
	}
	assert_true(met[1] > CASES(4000) && met[0] > met[1] && met[0] < CASES(4000) * ACCESSES);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_access_is_told_what_it_touches) };

	return cmocka_run_group_tests_name("large_spans", tests, NULL, NULL);
}
