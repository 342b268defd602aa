/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function that holds a piece: a step bears the name of the function that has both of its ends. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "core_names.h"
#include "repairs/repair_scope.h"
#include "vtb/exec_waits.h"

#define EVENTS 6u
#define DEPTH 3u

/* What one thread does: the line and function of each operation, and of the calls around it, innermost first. */
struct script {
	struct {
		uint32_t site;
		size_t n;
		struct vtb_call calls[DEPTH];
	} events[EVENTS];
	size_t n;
};

#define IN(name, at)                     \
	{                                \
#name, "src/shop.cc", at \
	}

static bool same_lines(const struct script *s, size_t a, size_t b)
{
	for (size_t i = 0; i < DEPTH; i++)
		if (s->events[a].calls[i].line != s->events[b].calls[i].line)
			return false;
	return true;
}

static size_t calls_of(const struct vtb_exec *run, size_t at, uint32_t thread, uint32_t site, const void *data,
                       const struct vtb_call **ret)
{
	const struct script *s = data;

	(void)run;
	(void)thread;
	if (at == VTB_EVENT_NONE)
		return 0;
	assert_int_equal(s->events[at].site, site);
	for (size_t i = 0; i <= at; i++) /* equal stacks are one */
		if (same_lines(s, i, at)) {
			*ret = s->events[i].calls;
			break;
		}
	return s->events[at].n;
}

/* The words for the piece from event `first` to event `last`; "": there is no such function. */
static const char *words_of(const struct script *s, size_t first, size_t last, char *buf, size_t size)
{
	struct vtb_event events[EVENTS] = { 0 };
	const struct vtb_exec run = { .events = events, .n_events = s->n };
	const struct vtb_core_repair_opts opts = { .calls = calls_of, .places = s };
	const struct repair_text w = { .opts = &opts };
	struct repair_piece piece = { .run = &run };
	struct repair_scope scope;

	for (size_t i = 0; i < s->n; i++)
		events[i] = (struct vtb_event){ .kind = VTB_E_READ, .site = s->events[i].site, .var = 0 };
	piece.first = core_op_at(&run, first);
	piece.last = core_op_at(&run, last);
	buf[0] = 0;
	return repair_scope_of(&w, &piece, &scope) ? repair_scope_words(&scope, buf, size) : buf;
}

#define EXPECT(s, first, last, words)                                                            \
	do {                                                                                     \
		char buf[600];                                                                   \
		assert_string_equal(words_of(&(s), (first), (last), buf, sizeof(buf)), (words)); \
	} while (0)

static void one_function_is_told_as_before(void **state)
{
	const struct script s = { .events = { { 1, 2, { IN(Shop::sell, 12), IN(main, 40) } },
		                              { 2, 2, { IN(Shop::sell, 14), IN(main, 40) } } },
		                  .n = 2 };

	(void)state;
	EXPECT(s, 0, 1, "Shop::sell at shop.cc:12 to shop.cc:14");
	EXPECT(s, 1, 1, "Shop::sell at shop.cc:14");
}

static void the_caller_of_both_has_the_step(void **state)
{
	const struct script s = { .events = { { 1, 3, { IN(Shop::get, 12), IN(Shop::sell, 30), IN(main, 40) } },
		                              { 2, 3, { IN(Shop::put, 17), IN(Shop::sell, 32), IN(main, 40) } },
		                              { 3, 2, { IN(Shop::sell, 33), IN(main, 40) } } },
		                  .n = 3 };

	(void)state;
	EXPECT(s, 0, 1, "Shop::sell at shop.cc:30 (in Shop::get) to shop.cc:32 (in Shop::put)");
	EXPECT(s, 0, 2, "Shop::sell at shop.cc:30 (in Shop::get) to shop.cc:33");
	EXPECT(s, 1, 2, "Shop::sell at shop.cc:32 (in Shop::put) to shop.cc:33");
}

/* Two calls from one line, and a function that is called again. */
static void another_call_is_not_the_same_function(void **state)
{
	const struct script s = { .events = { { 1, 2, { IN(Shop::get, 11), IN(main, 40) } },
		                              { 2, 2, { IN(Shop::get, 12), IN(main, 40) } },
		                              { 1, 2, { IN(Shop::get, 11), IN(main, 40) } },
		                              { 2, 2, { IN(Shop::get, 12), IN(main, 40) } },
		                              { 3, 2, { IN(Shop::put, 17), IN(main, 40) } } },
		                  .n = 5 };

	(void)state;
	EXPECT(s, 0, 1, "Shop::get at shop.cc:11 to shop.cc:12");
	EXPECT(s, 1, 2, "main at shop.cc:40 (calls of Shop::get)");
	EXPECT(s, 0, 3, "main at shop.cc:40 (calls of Shop::get)");
	EXPECT(s, 3, 4, "main at shop.cc:40 (in Shop::get and Shop::put)");
}

static void rounds_of_a_loop_are_one_call(void **state)
{
	const struct script s = { .events = { { 1, 2, { IN(Shop::list, 10), IN(main, 40) } },
		                              { 2, 2, { IN(Shop::list, 12), IN(main, 40) } },
		                              { 3, 2, { IN(Shop::list, 13), IN(main, 40) } },
		                              { 2, 2, { IN(Shop::list, 12), IN(main, 40) } } },
		                  .n = 4 };

	(void)state;
	EXPECT(s, 2, 3, "Shop::list at shop.cc:12 to shop.cc:13 (from one round to the next)");
	EXPECT(s, 1, 3, "Shop::list at shop.cc:12");
}

static void nothing_is_said_where_nothing_is_shared(void **state)
{
	const struct script s = {
		.events = { { 1, 1, { IN(Shop::get, 12) } }, { 2, 1, { IN(Shop::put, 17) } }, { 3, 0, { { 0 } } } },
		.n = 3
	};

	(void)state;
	EXPECT(s, 0, 1, "");
	EXPECT(s, 0, 2, "");
}

static void a_step_holds_another_one(void **state)
{
	const struct repair_scope outer = { .function = "f", .file = "a.c", .first = 3, .last = 9 },
	                          inner = { .function = "f", .file = "a.c", .first = 3, .last = 7 },
	                          other = { .function = "g", .file = "a.c", .first = 4, .last = 7 };

	(void)state;
	assert_true(repair_scope_holds(&outer, &inner));
	assert_true(repair_scope_holds(&inner, &inner));
	assert_false(repair_scope_holds(&inner, &outer));
	assert_false(repair_scope_holds(&outer, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_function_is_told_as_before),
		cmocka_unit_test(the_caller_of_both_has_the_step),
		cmocka_unit_test(another_call_is_not_the_same_function),
		cmocka_unit_test(rounds_of_a_loop_are_one_call),
		cmocka_unit_test(nothing_is_said_where_nothing_is_shared),
		cmocka_unit_test(a_step_holds_another_one),
	};

	return cmocka_run_group_tests_name("functions of steps", tests, NULL, NULL);
}
