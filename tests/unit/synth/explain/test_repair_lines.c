/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repairs by their lines: what a thread does within a step, and which locks it has at the step's ends. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core_names.h"
#include "repairs/repairs.h"
#include "vtb/exec_waits.h"

enum { X = 8, ONCE = 16, LOCK = 24, READS = 1, WRITES = 2, LIBRARY = 3, OTHER = 4 /* sites */ };

static struct vtb_event does(uint32_t thread, unsigned kind, uint64_t addr, uint32_t site)
{
	struct vtb_event e = { .thread = (uint16_t)thread,
		               .kind = (uint8_t)kind,
		               .addr = addr,
		               .size = 4,
		               .site = site,
		               .var = (uint32_t)addr };

	vtb_event_classify(&e);
	return e;
}

/* From reading to writing, for both threads. */
static struct repair one_step(const struct vtb_exec *run)
{
	struct repair r = { .n_pieces = 1 };

	r.pieces[0] =
	    (struct repair_piece){ .first = { .thread = 1, .kind = VTB_E_READ, .site = READS, .occurrence = 1 },
		                   .last = { .thread = 1, .kind = VTB_E_WRITE, .site = WRITES, .occurrence = 1 },
		                   .run = run };
	return r;
}

static bool is_kept(const struct vtb_event *events, size_t n)
{
	struct vtb_site sites[3] = { { .function = "" },
		                     { .function = "f", .line = 1 },
		                     { .function = "f", .line = 2 } };
	const struct vtb_symtab tab = { .sites = sites, .n_sites = 3 };
	const struct vtb_exec run = { .events = (struct vtb_event *)(uintptr_t)events, .n_events = n };
	const struct repair r = one_step(&run);

	return repair_is_kept(&r, &tab, &(struct vtb_core_repair_opts){ 0 }, &run);
}

/* A library's initialiser is looked at in both steps: they are steps as any others. */
static void who_finds_an_initialiser_done_does_not_wait(void **state)
{
	const struct vtb_event done_before[] = {
		does(2, VTB_E_ONCE_BEGIN, ONCE, 0), does(2, VTB_E_ONCE_END, ONCE, 0),
		does(1, VTB_E_READ, X, READS),      does(2, VTB_E_READ, X, READS),
		does(1, VTB_E_ONCE_FOUND, ONCE, 0), does(2, VTB_E_ONCE_FOUND, ONCE, 0),
		does(1, VTB_E_WRITE, X, WRITES),    does(2, VTB_E_WRITE, X, WRITES),
	};
	const struct vtb_event enters[] = {
		does(1, VTB_E_READ, X, READS),    does(2, VTB_E_READ, X, READS),   does(1, VTB_E_ONCE_BEGIN, ONCE, 0),
		does(1, VTB_E_ONCE_END, ONCE, 0), does(1, VTB_E_WRITE, X, WRITES), does(2, VTB_E_WRITE, X, WRITES),
	};

	(void)state;
	assert_false(is_kept(done_before, 8));
	assert_false(is_kept(enters, 6));
}

/* Whoever waits until the other thread is out of the initialiser cannot keep it out. */
static void who_waits_for_an_initialiser_does(void **state)
{
	const struct vtb_event waits[] = {
		does(2, VTB_E_READ, X, READS),      does(1, VTB_E_READ, X, READS),
		does(2, VTB_E_ONCE_BEGIN, ONCE, 0), does(2, VTB_E_ONCE_END, ONCE, 0),
		does(1, VTB_E_ONCE_FOUND, ONCE, 0), does(1, VTB_E_WRITE, X, WRITES),
		does(2, VTB_E_WRITE, X, WRITES),
	};

	(void)state;
	assert_true(is_kept(waits, 7));
}

static size_t calls_of(const struct vtb_exec *run, size_t at, uint32_t thread, uint32_t site, const void *places,
                       const struct vtb_call **ret)
{
	static const struct vtb_call calls[] = { { "f", "a.cc", 1 }, { "f", "a.cc", 9 } };

	(void)run;
	(void)thread;
	(void)places;
	assert_true(at == VTB_EVENT_NONE);
	*ret = &calls[site == OTHER];
	return site == LIBRARY || site == OTHER;
}

/* One line of a header locks every mutex. */
static void a_line_of_a_library_is_one_for_each_line_of_the_users(void **state)
{
	struct vtb_site sites[] = { { .function = "" },
		                    { .function = "" },
		                    { .function = "f", .file = "a.cc", .line = 2 },
		                    { .function = "lock", .file = "mutex.h", .line = 5 },
		                    { .function = "lock", .file = "mutex.h", .line = 5 } };
	const struct vtb_symtab tab = { .sites = sites, .n_sites = 5 };
	struct vtb_event events[] = { does(1, VTB_E_READ, X, LIBRARY), does(2, VTB_E_READ, X, OTHER),
		                      does(2, VTB_E_WRITE, X, WRITES), does(1, VTB_E_WRITE, X, WRITES) };
	const struct vtb_core core = { .exec = { .events = events, .n_events = 4 } };
	struct repair r = one_step(&core.exec);

	(void)state;
	r.core = &core;
	r.pieces[0].first.site = LIBRARY;
	assert_false(repair_is_kept(&r, &tab, &(struct vtb_core_repair_opts){ 0 }, &core.exec));
	assert_true(repair_is_kept(&r, &tab, &(struct vtb_core_repair_opts){ .calls = calls_of }, &core.exec));
}

/* Taken, let go and taken again: it is the lock to hold throughout. */
static void an_operation_that_takes_a_lock_has_it(void **state)
{
	struct vtb_event events[] = { does(1, VTB_E_READ, X, READS), does(1, VTB_E_LOCK, LOCK, WRITES) };
	const struct vtb_exec run = { .events = events, .n_events = 2 };
	struct repair_piece p = { .first = core_op_at(&run, 0), .last = core_op_at(&run, 1), .run = &run };
	struct repair_piece reads = p;

	(void)state;
	repair_shrink_piece(&p, true);
	assert_int_equal(p.lock, LOCK);
	repair_shrink_piece(&reads, false);
	assert_int_equal(reads.lock, VTB_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_finds_an_initialiser_done_does_not_wait),
		cmocka_unit_test(who_waits_for_an_initialiser_does),
		cmocka_unit_test(a_line_of_a_library_is_one_for_each_line_of_the_users),
		cmocka_unit_test(an_operation_that_takes_a_lock_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
