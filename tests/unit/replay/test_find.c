/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hash.h"
#include "vtb/replay.h"

/* A run made by hand: add() appends one operation of thread 0.0. */
struct run {
	struct vtb_symtab tab;
	struct vtb_event events[32];
	struct vtb_exec x;
	uint32_t thread;
};

static void begin(struct run *r)
{
	*r = (struct run){ 0 };
	r->thread = (uint32_t)vtb_symtab_thread_by_path(&r->tab, "0.0");
	r->x.events = r->events;
}

static void end(struct run *r)
{
	vtb_symtab_fini(&r->tab);
}

static uint32_t variable(struct run *r, const char *name)
{
	const struct vtb_variable v = { .object = VTB_NONE, .name = name, .type = "int" };

	for (size_t i = 0; i < r->tab.n_variables; i++)
		if (!strcmp(r->tab.variables[i].name, name))
			return (uint32_t)i;
	return (uint32_t)vtb_symtab_add_variable(&r->tab, &v);
}

static void add(struct run *r, unsigned kind, const char *function, uint32_t line, const char *text, const char *var)
{
	const struct vtb_site site = { .module = VTB_NONE,
		                       .offset = r->x.n_events,
		                       .function = function,
		                       .file = "x.c",
		                       .line = line,
		                       .function_line = 10,
		                       .text = text,
		                       .text_hash = vtb_hash_text(text),
		                       .instruction = "" };

	r->events[r->x.n_events++] = (struct vtb_event){ .kind = (uint8_t)kind,
		                                         .thread = (uint16_t)r->thread,
		                                         .site = (uint32_t)vtb_symtab_add_site(&r->tab, &site),
		                                         .var = variable(r, var) };
}

/* The n-th read of `var` in f, once on line 12 with this text. */
static struct vtb_opname name(const char *text, const char *var, uint32_t n)
{
	return (struct vtb_opname){ .kind = VTB_E_READ,
		                    .function = "f",
		                    .line_in_function = 2,
		                    .text_hash = vtb_hash_text(text),
		                    .file = "x.c",
		                    .line = 12,
		                    .variable = var,
		                    .occurrence = n,
		                    .site = VTB_NONE };
}

static int64_t find(struct run *r, const struct vtb_opname *n, enum vtb_place_state *ret_state)
{
	struct vtb_place_note note;
	const int64_t index = vtb_replay_find(&r->x, &r->tab, r->thread, n, &note);

	*ret_state = note.state;
	assert_true((note.state == VTB_PLACE_SAME) == (note.text[0] == 0));
	return index;
}

static void the_nth_occurrence_of_the_same_place_is_found(void **state)
{
	const struct vtb_opname second = name("a = x;", "x", 2), third = name("a = x;", "x", 3);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 12, "a = x;", "x");
	add(&r, VTB_E_WRITE, "f", 12, "a = x;", "x");
	add(&r, VTB_E_READ, "g", 12, "a = x;", "x");
	add(&r, VTB_E_READ, "f", 12, "a = x;", "y");
	add(&r, VTB_E_READ, "f", 12, "a = x;", "x");
	assert_int_equal(find(&r, &second, &place), 5);
	assert_int_equal(place, VTB_PLACE_SAME);
	assert_int_equal(find(&r, &third, &place), -ENOENT);
	assert_int_equal(place, VTB_PLACE_MISSING);
	end(&r);
}

static void a_line_that_moved_is_found_by_its_text(void **state)
{
	const struct vtb_opname n = name("a = x;", "x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 12, "if (x)", "x");
	add(&r, VTB_E_READ, "f", 15, "a = x;", "x");
	assert_int_equal(find(&r, &n, &place), 2);
	assert_int_equal(place, VTB_PLACE_MOVED);
	end(&r);
}

static void two_lines_with_the_text_and_none_in_its_place_are_ambiguous(void **state)
{
	const struct vtb_opname n = name("a = x;", "x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 14, "a = x;", "x");
	add(&r, VTB_E_READ, "f", 16, "a = x;", "x");
	assert_int_equal(find(&r, &n, &place), -EEXIST);
	assert_int_equal(place, VTB_PLACE_AMBIGUOUS);
	end(&r);
}

static void a_changed_text_in_the_same_place_is_said(void **state)
{
	const struct vtb_opname n = name("a = x;", "x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 12, "b = x;", "x");
	add(&r, VTB_E_READ, "f", 13, "c = x;", "x");
	assert_int_equal(find(&r, &n, &place), 1);
	assert_int_equal(place, VTB_PLACE_CHANGED);
	end(&r);
}

static void without_source_text_the_line_alone_decides(void **state)
{
	const struct vtb_opname n = name("", "x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 12, "", "x");
	assert_int_equal(find(&r, &n, &place), 1);
	assert_int_equal(place, VTB_PLACE_SAME);
	end(&r);
}

static void heap_objects_may_be_allocated_on_another_line(void **state)
{
	const struct vtb_opname n = name("a = p->x;", "malloc at list.c:31 (thread 0, 1st).x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 12, "a = p->x;", "malloc at list.c:33 (thread 0, 1st).x");
	assert_int_equal(find(&r, &n, &place), 1);
	assert_int_equal(place, VTB_PLACE_SAME);
	add(&r, VTB_E_READ, "f", 12, "a = p->x;", "malloc at list.c:40 (thread 0, 1st).x");
	assert_int_equal(find(&r, &n, &place), -EEXIST);
	assert_int_equal(place, VTB_PLACE_AMBIGUOUS);
	end(&r);
}

static void the_only_access_of_the_function_is_taken_and_said(void **state)
{
	const struct vtb_opname n = name("a = x;", "x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 14, "x += 5;", "x");
	assert_int_equal(find(&r, &n, &place), 1);
	assert_int_equal(place, VTB_PLACE_CHANGED);
	end(&r);
}

static void an_empty_run_has_nothing(void **state)
{
	const struct vtb_opname n = name("a = x;", "x", 1);
	enum vtb_place_state place;
	struct run r;

	(void)state;
	begin(&r);
	assert_int_equal(find(&r, &n, &place), -ENOENT);
	assert_int_equal(place, VTB_PLACE_MISSING);
	end(&r);
}

static void a_run_that_does_something_else_at_the_index_does_not_follow(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_place_note note = { 0 };
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "f", 12, "a = x;", "x");
	add(&r, VTB_E_WRITE, "f", 13, "x = 1;", "x");
	assert_int_equal(vtb_schedule_deviate(&s, r.thread, 1, VTB_DEV_DEMOTE, 0, VTB_NONE, 1), 0);
	s.deviations[0].after.name = name("a = x;", "x", 1);
	assert_true(vtb_replay_follows(&r.x, &r.tab, &s, &note));
	s.deviations[0].after.index = 2;
	assert_false(vtb_replay_follows(&r.x, &r.tab, &s, &note));
	assert_non_null(strstr(note.text, "write"));
	s.deviations[0].after.index = 3; /* the run ended before it */
	assert_true(vtb_replay_follows(&r.x, &r.tab, &s, &note));
	vtb_schedule_fini(&s);
	end(&r);
}

static void an_operation_without_a_line_is_known_by_its_variable(void **state)
{
	struct vtb_schedule s = { 0 };
	struct vtb_place_note note = { 0 };
	struct run r;

	(void)state;
	begin(&r);
	add(&r, VTB_E_READ, "deep_in_a_library", 0, "", "x");
	assert_int_equal(vtb_schedule_deviate(&s, r.thread, 1, VTB_DEV_DEMOTE, 0, VTB_NONE, 1), 0);
	s.deviations[0].after.name = name("a = x;", "x", 1);
	assert_true(vtb_replay_follows(&r.x, &r.tab, &s, &note));
	s.deviations[0].after.name = name("a = x;", "y", 1);
	assert_false(vtb_replay_follows(&r.x, &r.tab, &s, &note));
	vtb_schedule_fini(&s);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nth_occurrence_of_the_same_place_is_found),
		cmocka_unit_test(a_line_that_moved_is_found_by_its_text),
		cmocka_unit_test(two_lines_with_the_text_and_none_in_its_place_are_ambiguous),
		cmocka_unit_test(a_changed_text_in_the_same_place_is_said),
		cmocka_unit_test(without_source_text_the_line_alone_decides),
		cmocka_unit_test(heap_objects_may_be_allocated_on_another_line),
		cmocka_unit_test(the_only_access_of_the_function_is_taken_and_said),
		cmocka_unit_test(an_empty_run_has_nothing),
		cmocka_unit_test(a_run_that_does_something_else_at_the_index_does_not_follow),
		cmocka_unit_test(an_operation_without_a_line_is_known_by_its_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
