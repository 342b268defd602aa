/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue against a list that is looked through. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cvt/heap.h"
#include "vtb/rng.h"

#define STEPS 6000u

struct list {
	uint64_t keys[STEPS];
	bool gone[STEPS];
	uint32_t n, left;
};

/* The first of those with the lowest key. */
static uint32_t take_lowest(struct list *l)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < l->n; i++)
		if (!l->gone[i] && (best == UINT32_MAX || l->keys[i] < l->keys[best]))
			best = i;
	l->gone[best] = true;
	l->left--;
	return best;
}

static void step(struct vtb_heap *h, struct list *l, uint64_t random, uint64_t keys)
{
	if (l->left && random % 5 < 2) {
		assert_int_equal(vtb_heap_pop(h), take_lowest(l));
		return;
	}
	l->keys[l->n] = vtb_mix64(random) % keys;
	assert_int_equal(vtb_heap_push(h, l->keys[l->n], l->n), 0);
	l->n++;
	l->left++;
}

static void it_gives_what_a_list_gives(void **state)
{
	static struct list l;

	(void)state;
	for (uint64_t keys = 1; keys < 100000; keys *= 7) { /* few: ties go by age */
		struct vtb_heap h = { 0 };

		l = (struct list){ .n = 0 };
		for (uint64_t i = 0; i < STEPS; i++)
			step(&h, &l, vtb_mix64(i + keys), keys);
		while (l.left)
			assert_int_equal(vtb_heap_pop(&h), take_lowest(&l));
		assert_int_equal(h.n_rows, 0);
		vtb_heap_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_gives_what_a_list_gives),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
