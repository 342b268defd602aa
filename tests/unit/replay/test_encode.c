/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "vtb/process_runner.h"

/* The arrays behind a schedule's header, as the runtime finds them. */
struct view {
	struct vtb_wire_schedule *head;
	size_t size;
	const struct vtb_wire_path *paths;
	const uint32_t *ranks;
	const struct vtb_wire_deviation *deviations;
	const struct vtb_wire_constraint *constraints;
	const uint64_t *pcs;
};

static const void *next(const char **at, size_t size)
{
	const void *here = *at;

	*at += (size + 7) & ~(size_t)7;
	return here;
}

static struct view encode(const struct vtb_schedule *s, const struct vtb_symtab *tab)
{
	const struct vtb_encode_opts opts = { .flags = VTB_SCHED_STACKS, .max_points = 1000 };
	struct view v;
	const char *at;
	void *bytes;

	assert_int_equal(vtb_encode_schedule(s, tab, &opts, &bytes, &v.size), 0);
	v.head = bytes;
	assert_int_equal(v.head->size, v.size);
	at = (const char *)(v.head + 1);
	v.paths = next(&at, v.head->paths * sizeof(*v.paths));
	v.ranks = next(&at, v.head->ranks * sizeof(*v.ranks));
	v.deviations = next(&at, v.head->deviations * sizeof(*v.deviations));
	v.constraints = next(&at, v.head->constraints * sizeof(*v.constraints));
	v.pcs = next(&at, v.head->pcs * sizeof(*v.pcs));
	assert_int_equal((size_t)(at - (const char *)bytes), v.size);
	return v;
}

static uint32_t thread(struct vtb_symtab *tab, const char *path)
{
	const int64_t id = vtb_symtab_thread_by_path(tab, path);

	assert_true(id >= 0);
	return (uint32_t)id;
}

static void an_empty_schedule_is_a_header(void **state)
{
	const struct vtb_schedule s = { .policy = VTB_SCHEDULE_RANDOM, .seed = 99 };
	const struct vtb_symtab tab = { 0 };
	struct view v = encode(&s, &tab);

	(void)state;
	assert_int_equal(v.size, sizeof(*v.head));
	assert_int_equal(v.head->policy, VTB_POLICY_RANDOM);
	assert_int_equal(v.head->seed, 99);
	assert_int_equal(v.head->flags, VTB_SCHED_STACKS);
	assert_int_equal(v.head->max_points, 1000);
	free(v.head);
}

static void threads_become_paths_with_parents_first(void **state)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s = { 0 };
	const uint32_t deep = thread(&tab, "0.3.1"), other = thread(&tab, "0.2");
	struct view v;

	(void)state;
	assert_int_equal(vtb_schedule_deviate(&s, deep, 5, VTB_DEV_SWITCH, other, VTB_NONE, 1), 0);
	v = encode(&s, &tab);
	assert_int_equal(v.head->paths, 4); /* 0.2, 0, 0.3, 0.3.1 in some order */
	for (uint32_t i = 0; i < v.head->paths; i++)
		assert_true(v.paths[i].parent == VTB_NO_PATH || v.paths[i].parent < i);
	assert_int_equal(v.deviations[0].after.match, VTB_MATCH_INDEX);
	assert_int_equal(v.deviations[0].after.index, 5);
	assert_int_equal(v.deviations[0].kind, VTB_DEV_SWITCH);
	assert_int_equal(v.paths[v.deviations[0].after.path].nth, 1);
	assert_int_equal(v.paths[v.paths[v.deviations[0].after.path].parent].nth, 3);
	assert_int_equal(v.paths[v.deviations[0].target].nth, 2);
	free(v.head);
	vtb_schedule_fini(&s);
	vtb_symtab_fini(&tab);
}

static void a_waiters_place_is_not_taken_for_a_thread(void **state)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s = { 0 };
	struct view v;

	(void)state;
	assert_int_equal(vtb_schedule_deviate(&s, thread(&tab, "0"), 1, VTB_DEV_WAITER, 77, VTB_NONE, 1), 0);
	v = encode(&s, &tab);
	assert_int_equal(v.deviations[0].target, 77);
	free(v.head);
	vtb_schedule_fini(&s);
	vtb_symtab_fini(&tab);
}

static void fragments_keep_their_numbers_among_the_ranks(void **state)
{
	struct vtb_symtab tab = { 0 };
	uint32_t ranks[] = { 0 | VTB_RANK_FRAGMENT_BIT, 0, 3 | VTB_RANK_FRAGMENT_BIT };
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_PRIORITY, .ranks = ranks, .n_ranks = 3 };
	struct view v;

	(void)state;
	ranks[1] = thread(&tab, "0.0");
	v = encode(&s, &tab);
	assert_int_equal(v.ranks[0], VTB_RANK_FRAGMENT);
	assert_int_equal(v.paths[v.ranks[1]].nth, 0);
	assert_int_equal(v.ranks[2], 3 | VTB_RANK_FRAGMENT);
	free(v.head);
	vtb_symtab_fini(&tab);
}

static uint32_t add_site(struct vtb_symtab *tab, uint64_t offset, uint32_t line)
{
	const struct vtb_site site = { .module = 0,
		                       .offset = offset,
		                       .function = "f",
		                       .file = "x.c",
		                       .line = line,
		                       .function_line = 10,
		                       .text = "",
		                       .instruction = "" };

	return (uint32_t)vtb_symtab_add_site(tab, &site);
}

static void an_operation_by_site_gets_all_addresses_of_its_line(void **state)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s = { 0 };
	const struct vtb_module module = { .path = "/bin/x", .base = 0x10000 };
	struct vtb_op before = { .index = VTB_OP_BY_SITE, .name = { .kind = VTB_E_READ, .occurrence = 3 } },
	              after = { .index = 2 };
	struct view v;

	(void)state;
	assert_int_equal(vtb_symtab_add_module(&tab, &module), 0);
	before.thread = after.thread = thread(&tab, "0");
	before.name.site = add_site(&tab, 0x100, 12);
	add_site(&tab, 0x200, 13);
	add_site(&tab, 0x300, 12);
	assert_int_equal(vtb_schedule_constrain(&s, before, after), 0);
	v = encode(&s, &tab);
	assert_int_equal(v.constraints[0].before.match, VTB_MATCH_SITE);
	assert_int_equal(v.constraints[0].before.kind, VTB_E_READ);
	assert_int_equal(v.constraints[0].before.occurrence, 3);
	assert_int_equal(v.constraints[0].before.pcs_count, 2);
	assert_int_equal(v.pcs[v.constraints[0].before.pcs_first], 0x10100);
	assert_int_equal(v.pcs[v.constraints[0].before.pcs_first + 1], 0x10300);
	assert_int_equal(v.constraints[0].after.match, VTB_MATCH_INDEX);
	free(v.head);
	vtb_schedule_fini(&s);
	vtb_symtab_fini(&tab);
}

static void ids_that_are_not_in_the_table_are_refused(void **state)
{
	const struct vtb_encode_opts opts = { 0 };
	struct vtb_symtab tab = { 0 };
	struct vtb_schedule s = { 0 };
	uint32_t rank = 9;
	struct vtb_schedule ranked = { .ranks = &rank, .n_ranks = 1 };
	void *bytes = NULL;
	size_t size;

	(void)state;
	assert_int_equal(vtb_schedule_deviate(&s, 0, 1, VTB_DEV_DEMOTE, 0, VTB_NONE, 1), 0);
	assert_int_equal(vtb_encode_schedule(&s, &tab, &opts, &bytes, &size), -EINVAL);
	assert_int_equal(vtb_encode_schedule(&ranked, &tab, &opts, &bytes, &size), -EINVAL);
	s.deviations[0].after.thread = thread(&tab, "0");
	s.deviations[0].after.index = VTB_OP_BY_SITE;
	s.deviations[0].after.name.site = 5;
	assert_int_equal(vtb_encode_schedule(&s, &tab, &opts, &bytes, &size), -EINVAL);
	assert_null(bytes);
	vtb_schedule_fini(&s);
	vtb_symtab_fini(&tab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_schedule_is_a_header),
		cmocka_unit_test(threads_become_paths_with_parents_first),
		cmocka_unit_test(a_waiters_place_is_not_taken_for_a_thread),
		cmocka_unit_test(fragments_keep_their_numbers_among_the_ranks),
		cmocka_unit_test(an_operation_by_site_gets_all_addresses_of_its_line),
		cmocka_unit_test(ids_that_are_not_in_the_table_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
