/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strategy aim: a thread that waits by looking again and again, in runs that are written down here; and one that waits
 * for a third. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "aim/aim.h"
#include "aim_search.h"

enum { FLAG, DATA };

static struct vtb_event event(uint16_t thread, enum vtb_event_kind kind, uint32_t var, uint32_t site)
{
	return (struct vtb_event){ .kind = (uint8_t)kind, .var = var, .site = site, .thread = thread };
}

static void read_rounds(const struct vtb_event *events, size_t n, struct aim *s)
{
	struct vtb_event copy[16];
	struct vtb_exec x = { .events = copy, .n_events = n };
	struct aim_look l = { .s = s, .x = &x, .thread = 1, .to = VTB_NONE };

	for (size_t i = 0; i < n; i++) {
		copy[i] = events[i];
		if (events[i].thread != 1)
			continue;
		assert_int_equal(vtb_array_room(s, ops), 0);
		s->ops[s->n_ops++] = (uint32_t)i;
	}
	assert_int_equal(aim_read_rounds(&l), 0);
}

static void what_it_looks_at_again_is_a_round(void **state)
{
	const struct vtb_event run[] = {
		event(1, VTB_E_WRITE, DATA, 1),       event(1, VTB_E_ATOMIC_LOAD, FLAG, 2),
		event(1, VTB_E_YIELD, VTB_NONE, 3),   event(1, VTB_E_ATOMIC_LOAD, FLAG, 2),
		event(1, VTB_E_YIELD, VTB_NONE, 3),   event(2, VTB_E_WRITE, FLAG, 4),
		event(1, VTB_E_ATOMIC_LOAD, FLAG, 2), event(1, VTB_E_READ, DATA, 5),
	};
	struct aim s = { 0 };

	(void)state;
	read_rounds(run, sizeof(run) / sizeof(run[0]), &s);
	assert_int_equal(s.n_ops, 7);
	assert_int_equal(s.rounds[0], 0); /* a write */
	assert_int_equal(s.rounds[1], AIM_ROUND_AGAIN);
	assert_int_equal(s.rounds[2], AIM_ROUND_AGAIN);
	assert_int_equal(s.rounds[3], AIM_ROUND_AGAIN | AIM_ROUND_KNOWN);
	assert_int_equal(s.rounds[4], AIM_ROUND_AGAIN | AIM_ROUND_KNOWN);
	assert_int_equal(s.rounds[5], 0); /* the last look: somebody has gone on since the one before */
	assert_int_equal(s.rounds[6], 0);
	aim_patterns_fini(&s);
}

static void who_writes_in_between_makes_no_round(void **state)
{
	const struct vtb_event run[] = {
		event(1, VTB_E_ATOMIC_LOAD, FLAG, 2), event(1, VTB_E_WRITE, DATA, 3),
		event(1, VTB_E_ATOMIC_LOAD, FLAG, 2),
		event(1, VTB_E_ATOMIC_LOAD, DATA, 2), /* another variable at the same place */
	};
	struct aim s = { 0 };

	(void)state;
	read_rounds(run, sizeof(run) / sizeof(run[0]), &s);
	for (size_t k = 0; k < s.n_ops; k++)
		assert_int_equal(s.rounds[k], 0);
	aim_patterns_fini(&s);
}

/* Thread 2 looks at the flag and yields while thread 1 stands behind its first write. */
static bool is_moved(enum vtb_event_kind meanwhile)
{
	struct vtb_event run[] = {
		event(1, VTB_E_WRITE, DATA, 1),   event(2, VTB_E_ATOMIC_LOAD, FLAG, 2),
		event(2, meanwhile, VTB_NONE, 3), event(2, VTB_E_ATOMIC_LOAD, FLAG, 2),
		event(1, VTB_E_WRITE, DATA, 4),   event(1, VTB_E_WRITE, DATA, 5),
	};
	const struct vtb_exec x = { .events = run, .n_events = sizeof(run) / sizeof(run[0]) };
	struct aim_shot shot = { .first = 1, .second = 2, .third = VTB_NONE, .n_stops = 1 };
	struct aim s = { 0 };
	bool moved;

	shot.stops[0] = (struct aim_stop){ .thread = 1, .index = 1, .var = DATA };
	assert_int_equal(aim_note_equal(&s, &shot, &x), 0);
	shot.stops[0].index = 2;
	moved = aim_is_equal(&s, &shot);
	vtb_bounded_map_fini(&s.equal);
	aim_patterns_fini(&s);
	return moved;
}

static void a_stop_is_moved_past_what_others_yield_meanwhile(void **state)
{
	(void)state;
	assert_true(is_moved(VTB_E_YIELD));
	assert_false(is_moved(VTB_E_FREE)); /* it is not known of what */
}

/* ---- for a third thread */

static void add(struct prog *p, int thread, enum prog_code code, int obj, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = code, .obj = obj, .reg = obj, .k = k });
}

/*
 * The second thread comes in while the first stands between its writes of 0, and waits for the third. Then it looks
 * twice at 1, and the first writes that in between. Were the first to go on where the second waits, it would be over.
 */
static void who_was_stopped_goes_on_behind_who_has_helped(void **state)
{
	struct prog p = { .n_threads = 4, .n_vars = 3, .n_locks = 1, .n_conds = 1, .routines = true };
	uint64_t first, all;

	(void)state;
	prog_create_all(&p);
	add(&p, 1, P_WRITE, 0, 1);
	add(&p, 1, P_WRITE, 0, 2);
	add(&p, 1, P_WRITE, 1, 1);
	add(&p, 2, P_READ, 0, 0);
	prog_add(&p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 8 });
	add(&p, 2, P_LOCK, 0, 0);
	add(&p, 2, P_READ, 2, 0);
	prog_add(&p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 2, .k = 0, .n = 1 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
	add(&p, 2, P_UNLOCK, 0, 0);
	prog_add(&p, 2, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 0 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 1 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
	add(&p, 3, P_LOCK, 0, 0);
	add(&p, 3, P_WRITE, 2, 1);
	add(&p, 3, P_BROADCAST, 0, 0);
	add(&p, 3, P_UNLOCK, 0, 0);
	prog_join_all(&p);
	first = first_failure(&p, &all);
	print_message("helped: %llu\n", (unsigned long long)first);
	assert_true(first > 0 && first <= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_looks_at_again_is_a_round),
		cmocka_unit_test(who_writes_in_between_makes_no_round),
		cmocka_unit_test(a_stop_is_moved_past_what_others_yield_meanwhile),
		cmocka_unit_test(who_was_stopped_goes_on_behind_who_has_helped),
	};

	return cmocka_run_group_tests_name("aim_rounds", tests, NULL, NULL);
}
