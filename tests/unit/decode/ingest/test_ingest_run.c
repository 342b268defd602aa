/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs: who was enabled, what was pending, and what damaged records come to. */
#include "ingest_program.h"

#define ROW(p, i) ((p)->x.enabled[(i) * (p)->x.stride])

/* Thread 1 blocks at a lock that main holds, and may go on when main gives it back. */
static void enabled_rows_follow_birth_block_unblock_and_death(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t m = address_of('g', "accounts[1].m");

	(void)state;
	PUT(&p->s, LOCK, m, 0, 0);  /* 0 */
	PUT_CREATE(&p->s, 1, 0, 0); /* 1 */
	PUT_SWITCH(&p->s, 1);
	PUT(&p->s, THREAD_BEGIN, 1, 0, 0); /* 2 */
	PUT_BLOCK(&p->s, 1, LOCK);
	PUT_SWITCH(&p->s, 0);
	PUT(&p->s, UNLOCK, m, 0, 0); /* 3 */
	PUT_UNBLOCK(&p->s, 1);
	PUT_SWITCH(&p->s, 1);
	PUT(&p->s, LOCK, m, 0, 0);       /* 4 */
	PUT(&p->s, THREAD_END, 1, 0, 0); /* 5 */
	PUT_SWITCH(&p->s, 0);
	PUT(&p->s, THREAD_JOIN, 1, 0, 0); /* 6 */
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.n_events, 7);
	assert_int_equal(p->x.n_enabled, 7 * p->x.stride);
	assert_int_equal(ROW(p, 0), 1);
	assert_int_equal(ROW(p, 1), 1); /* the child is there from the next row on */
	assert_int_equal(ROW(p, 2), 3);
	assert_int_equal(ROW(p, 3), 1);
	assert_int_equal(ROW(p, 4), 3);
	assert_int_equal(ROW(p, 5), 3);
	assert_int_equal(ROW(p, 6), 1);
	assert_string_equal(name_of(p, 6), "thread 0.0");
	assert_int_equal(p->x.events[1].var, p->x.events[6].var);
	assert_false(vtb_exec_preempts(&p->x, 2)); /* main's pthread_create had enabled thread 1 */
	assert_false(vtb_exec_preempts(&p->x, 3));
	assert_false(vtb_exec_preempts(&p->x, 4)); /* its unlock had enabled thread 1 */
	close_program(p);
}

/* Of several threads one record says that they cannot go on, and one that they can. */
static void a_record_may_tell_of_several_threads(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t others[] = { 3 | 4 << 16 | 5ull << 32 | 6ull << 48, 7 };

	(void)state;
	for (unsigned slot = 1; slot <= 6; slot++)
		PUT_CREATE(&p->s, slot, slot, 0);
	PUT(&p->s, YIELD, 0, 0, 0);
	PUT(&p->s, BLOCK, 0, 0, .value = 1, .arg = VTB_E_LOCK, .flags = VTB_REC_VALUE | VTB_REC_ARG, .stack = others,
	    .n_stack = 2);
	PUT(&p->s, YIELD, 0, 0, 0);
	PUT(&p->s, UNBLOCK, 0, 0, .value = 6, .flags = VTB_REC_VALUE | VTB_REC_ARG, .stack = others, .n_stack = 1);
	PUT(&p->s, YIELD, 0, 0, 0);
	assert_int_equal(run(p), 0);
	assert_int_equal(ROW(p, 6), 0x7f);
	assert_int_equal(ROW(p, 7), 1);
	assert_int_equal(ROW(p, 8), 0x7d); /* but for slot 1 */
	close_program(p);
}

/* The runtime may decide about a thread before pthread_create has returned in its creator. */
static void a_thread_may_be_blocked_before_its_creation_is_told(void **state)
{
	struct program *p = open_program(fixtures[0]);

	(void)state;
	PUT_SWITCH(&p->s, 1);
	PUT_BLOCK(&p->s, 1, THREAD_BEGIN);
	PUT_SWITCH(&p->s, 0);
	PUT_CREATE(&p->s, 1, 0, 0);
	PUT(&p->s, YIELD, 0, 0, 0);
	PUT_UNBLOCK(&p->s, 1);
	PUT(&p->s, YIELD, 0, 0, 0);
	assert_int_equal(run(p), 0);
	assert_int_equal(ROW(p, 1), 1);
	assert_int_equal(ROW(p, 2), 3);
	close_program(p);
}

static void try_again(struct program *p, unsigned slot, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		PUT(&p->s, UNBLOCK, 0, 0, .value = slot, .arg = VTB_UNBLOCK_AGAIN,
		    .flags = VTB_REC_VALUE | VTB_REC_ARG);
		PUT_SWITCH(&p->s, slot);
		PUT(&p->s, YIELD, 0, 0, 0);
		PUT(&p->s, YIELD, 0, 0, 0);
		PUT_BLOCK(&p->s, slot, YIELD);
	}
}

static void what_spinners_do_at_last_when_nobody_else_can_go_on_is_in_vain(void **state)
{
	struct program *p = open_program(fixtures[0]);

	(void)state;
	PUT_CREATE(&p->s, 1, 0, 0);
	try_again(p, 1, 1);
	try_again(p, 0, 1);
	PUT(&p->s, YIELD, 0, 0,
	    0); /* thread 0 was held back: it went on because of somebody, and so nothing is in vain */
	try_again(p, 1, 3);
	try_again(p, 0, 2);
	PUT(&p->s, FAIL, 0, 0, .arg = VTB_V_LIVELOCK, .flags = VTB_REC_ARG);
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.n_events, 1 + 4 + 1 + 10 + 1);
	assert_int_equal(p->x.n_vain, 11);
	close_program(p);
}

static void rows_grow_when_there_are_more_than_64_threads(void **state)
{
	struct program *p = open_program(fixtures[0]);

	(void)state;
	for (unsigned i = 1; i <= 200; i++)
		PUT_CREATE(&p->s, i, i - 1, 0);
	PUT_SWITCH(&p->s, 150);
	PUT(&p->s, YIELD, 0, 0, 0);
	assert_int_equal(run(p), 0);
	assert_int_equal(p->x.stride, 4);
	for (size_t i = 0; i < p->x.n_events; i++)
		for (uint32_t t = 0; t <= 200; t++)
			assert_int_equal(vtb_exec_enabled(&p->x, i, t), t <= i);
	assert_string_equal(vtb_thread_path(&p->tab, p->x.events[200].thread), "0.149");
	close_program(p);
}

static void a_deviation_marks_the_next_event_only(void **state)
{
	struct program *p = open_program(fixtures[0]);

	(void)state;
	PUT(&p->s, YIELD, 0, 0, 0);
	PUT(&p->s, DEVIATE, 3, 0, .value = 0, .arg = VTB_DEV_WAITER, .flags = VTB_REC_VALUE | VTB_REC_ARG);
	PUT(&p->s, LOST, 0, 0, 0);
	PUT(&p->s, YIELD, 0, 0, 0);
	PUT(&p->s, YIELD, 0, 0, 0);
	assert_int_equal(run(p), 0);
	assert_false(p->x.events[0].flags & VTB_EVF_DEVIATED);
	assert_false(p->x.events[1].flags & VTB_EVF_DEVIATED);
	assert_true(p->x.events[2].flags & VTB_EVF_DEVIATED);
	assert_int_equal(p->x.events[2].deviation, VTB_DEV_WAITER);
	assert_int_equal(p->x.events[2].place, 3);
	assert_false(p->x.events[3].flags & VTB_EVF_DEVIATED);
	close_program(p);
}

static void pending_operations_and_a_signature_tell_of_a_deadlock(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t a = address_of('g', "accounts[1].m"), b = address_of('g', "ready"), pc = address_of('p', "main");
	char first[256];

	(void)state;
	for (unsigned round = 0; round < 2; round++) { /* whoever comes first, the name is the same */
		PUT_CREATE(&p->s, 1, 0, 0);
		PUT(&p->s, PENDING, round ? a : b, pc, .value = round, .arg = VTB_E_LOCK,
		    .flags = VTB_REC_VALUE | VTB_REC_ARG);
		PUT(&p->s, PENDING, round ? b : a, pc, .value = !round, .arg = VTB_E_SEM_WAIT,
		    .flags = VTB_REC_VALUE | VTB_REC_ARG);
		p->outcome.verdict = VTB_V_DEADLOCK;
		assert_int_equal(run(p), 0);
		assert_int_equal(p->x.n_pending, 2);
		assert_int_equal(p->x.pending[0].thread, round);
		assert_int_equal(p->x.pending[0].kind, VTB_E_LOCK);
		assert_string_equal(vtb_variable_name(&p->tab, p->x.pending[0].var), round ? "accounts[1].m" : "ready");
		if (round)
			assert_string_equal(p->x.outcome.signature, first);
		snprintf(first, sizeof(first), "%s", p->x.outcome.signature);
	}
	assert_true(strncmp(first, "deadlock:accounts[1].m at main+", 31) == 0);
	assert_non_null(strstr(first, ",ready at main+"));
	close_program(p);
}

static void the_outcome_tells_where_and_what(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main");

	(void)state;
	p->outcome =
	    (struct vtb_wire_outcome){ .verdict = VTB_V_ASSERTION,
		                       .signal = 6,
		                       .pc = pc + 1,
		                       .message = "plain: plain.c:7: check_total: Assertion `balance == 300' failed.",
		                       .points = 9 };
	assert_int_equal(run(p), 0);
	assert_string_equal(p->x.outcome.signature, "assertion:check_total:balance == 300");
	assert_int_equal(p->x.outcome.exit_status, 134);
	assert_int_equal(p->x.outcome.thread, 0);
	assert_int_equal(p->x.outcome.points, 9);
	p->outcome = (struct vtb_wire_outcome){
		.verdict = VTB_V_SIGNAL, .signal = 11, .pc = pc, .fault = address_of('g', "counter")
	};
	memset(p->outcome.message, 'x', sizeof(p->outcome.message)); /* no NUL */
	assert_int_equal(run(p), 0);
	assert_string_equal(vtb_variable_name(&p->tab, p->x.outcome.var), "counter");
	assert_true(strncmp(p->x.outcome.signature, "signal:SIGSEGV:main+", 20) == 0);
	assert_int_equal(p->tab.sites[p->x.outcome.site].offset, pc - BASE);
	assert_true(strlen(p->tab.sites[p->x.outcome.site].instruction) > 0);
	p->outcome.verdict = 99;
	assert_int_equal(run(p), -VTB_E_FORMAT);
	close_program(p);
}

static void environment_objects_have_names(void **state)
{
	struct program *p = open_program(fixtures[0]);
	char module[256];

	(void)state;
	PUT(&p->s, IO_WRITE, 1, 0, 0);
	PUT(&p->s, IO_WRITE, 0, 0, .arg = 7, .flags = VTB_REC_ARG);
	PUT(&p->s, SLEEP, 0, 0, .arg = 1000, .flags = VTB_REC_ARG);
	PUT(&p->s, SIGNAL_SEND, 0, 0, .arg = 10, .flags = VTB_REC_ARG);
	PUT(&p->s, PROCESS_EXIT, 0, 0, 0);
	PUT(&p->s, ATOMIC_RMW, 0x77777777, 0, .size_log2 = 2, .order = VTB_ORDER_SEQ_CST);
	PUT(&p->s, READ, BASE + 0x20, 0, .size_log2 = 2);
	assert_int_equal(run(p), 0);
	assert_string_equal(name_of(p, 0), "stdout");
	assert_string_equal(name_of(p, 1), "fd 7");
	assert_string_equal(name_of(p, 2), "clock");
	assert_int_equal(p->x.events[2].value, 1000);
	assert_string_equal(name_of(p, 3), "signal 10");
	assert_string_equal(name_of(p, 4), "process");
	assert_string_equal(name_of(p, 5), "memory at 0x77777777");
	assert_int_equal(p->x.events[5].flags, VTB_EVF_ACQUIRES | VTB_EVF_RELEASES);
	snprintf(module, sizeof(module), "%s+0x20", strrchr(fixtures[0], '/') + 1);
	assert_string_equal(name_of(p, 6), module);
	close_program(p);
}

static void expect_corrupt(struct program *p, const char *what, uint64_t offset)
{
	const int r = run(p);

	if (r != -VTB_E_FORMAT)
		fail_msg("%s: result %d", what, r);
	assert_int_equal(p->err.offset, offset);
	assert_true(p->err.text[0]);
	assert_int_equal(p->x.n_events, 0);
	assert_null(p->x.events);
}

static void damaged_streams_are_refused_with_their_offset(void **state)
{
	struct program *p = open_program(fixtures[0]);

	(void)state;
	PUT(&p->s, YIELD, 0, 0, 0);
	p->s.words[p->s.n++] = vtb_rec_word0(0, VTB_E_YIELD, 0, 0);
	expect_corrupt(p, "half a record", 16);
	PUT(&p->s, YIELD, 0, 0, 0);
	p->s.words[0] = vtb_rec_word0(0, VTB_E_YIELD, 15, VTB_REC_STACK);
	expect_corrupt(p, "extra words past the end", 0);
	PUT(&p->s, YIELD, 0, 0, .value = 1, .flags = VTB_REC_VALUE);
	p->s.words[0] = vtb_rec_word0(0, VTB_E_YIELD, 1, 0);
	expect_corrupt(p, "extra words without a flag", 0);
	PUT(&p->s, YIELD, 0, 0, 0);
	p->s.words[0] = vtb_rec_word0(0, 250, 0, 0);
	expect_corrupt(p, "unknown kind", 0);
	PUT_SWITCH(&p->s, UINT64_MAX);
	expect_corrupt(p, "slot out of range", 0);
	PUT_SWITCH(&p->s, 5);
	PUT(&p->s, YIELD, 0, 0, 0);
	expect_corrupt(p, "event of a thread that was never created", 24);
	PUT(&p->s, THREAD_JOIN, 9, 0, 0);
	expect_corrupt(p, "join of no thread", 0);
	PUT(&p->s, DEVIATE, 0, 0, .arg = 77, .flags = VTB_REC_ARG);
	expect_corrupt(p, "no deviation", 0);
	PUT(&p->s, FAIL, 0, 0, .arg = 4711, .flags = VTB_REC_ARG);
	expect_corrupt(p, "no verdict", 0);
	PUT(&p->s, PENDING, 0, 0, .arg = 99999, .flags = VTB_REC_ARG);
	expect_corrupt(p, "pending at no kind", 0);
	PUT(&p->s, FRAME, 0x1000, 0, .value = 77, .flags = VTB_REC_VALUE);
	expect_corrupt(p, "frame of no thread", 0);
	close_program(p);
}

/* Whatever the words: an execution or an error, and no access outside them (run under the sanitizers). */
static void random_words_do_no_harm(void **state)
{
	struct program *p = open_program(fixtures[0]);
	uint64_t seed = 88172645463325252u;
	unsigned good = 0;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		for (unsigned i = 0; i < 64; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			p->s.words[i] = seed;
			if (seed % 3) /* mostly small numbers: kinds and flags that exist */
				p->s.words[i] = seed >> 44;
		}
		p->s.n = seed % 64;
		good += run(p) == 0;
	}
	assert_true(good > 0);
	close_program(p);
}

static void hostile_blocks_are_refused(void **state)
{
	struct program *p = open_program(fixtures[0]);
	struct block_image *b = malloc(sizeof(*b));
	struct vtb_error err;

	(void)state;
#define REFUSED(change, code)                                                              \
	do {                                                                               \
		block_init(b, VTB_MODE_RECORD);                                            \
		block_module(b, "/x", 0x1000, 0x1000);                                     \
		change;                                                                    \
		err = (struct vtb_error){ 0 };                                             \
		assert_int_equal(vtb_ingest_modules(p->in, b, sizeof(*b), &err), -(code)); \
		assert_true(err.text[0]);                                                  \
	} while (0)
	REFUSED(b->header.magic[0] = 'x', VTB_E_FORMAT);
	REFUSED(b->header.version = VTB_WIRE_VERSION + 1, VTB_E_VERSION);
	REFUSED(b->header.header_size = 8, VTB_E_FORMAT);
	REFUSED(b->header.block_size = UINT64_MAX, VTB_E_FORMAT);
	REFUSED(b->header.features = 1, VTB_E_VERSION);
	REFUSED(b->header.modules.used = 1000000000, VTB_E_LIMIT);
	REFUSED(b->header.modules.used = BLOCK_MODULES + 1, VTB_E_FORMAT);
	REFUSED(b->header.modules.offset = UINT64_MAX - 7, VTB_E_FORMAT);
	REFUSED(b->header.modules.offset += 1, VTB_E_FORMAT);
	REFUSED(b->header.modules.size = UINT64_MAX, VTB_E_FORMAT);
	REFUSED(b->modules[0].path = 5000, VTB_E_FORMAT);
	REFUSED(b->modules[0].build_id_size = 25, VTB_E_FORMAT);
	REFUSED(b->modules[0].hi = 1, VTB_E_FORMAT);
	REFUSED(memset(b->strings, 'x', sizeof(b->strings)), VTB_E_FORMAT);
	assert_int_equal(vtb_ingest_modules(p->in, b, 10, NULL), -VTB_E_FORMAT);
	free(b);
	close_program(p);
}

static void a_run_becomes_a_trace_with_the_names_it_uses(void **state)
{
	struct program *p = open_program(fixtures[0]);
	const uint64_t pc = address_of('p', "main"), m = address_of('g', "accounts[1].m"),
	               counter = address_of('g', "counter"), color = address_of('g', "color");
	struct vtb_trace trace;

	(void)state;
	PUT(&p->s, READ, counter, pc, .size_log2 = 2); /* names of another run */
	assert_int_equal(run(p), 0);
	PUT_CREATE(&p->s, 1, 3, pc, 0);
	PUT_SWITCH(&p->s, 1);
	PUT(&p->s, COND_WAIT, address_of('g', "ready"), pc, .arg = m, .flags = VTB_REC_ARG);
	PUT(&p->s, WRITE, color, pc, .size_log2 = 2);
	PUT(&p->s, PENDING, m, pc, .arg = VTB_E_LOCK, .flags = VTB_REC_ARG);
	p->outcome = (struct vtb_wire_outcome){ .verdict = VTB_V_LOST_WAKEUP, .thread = 1 };
	assert_int_equal(run(p), 0);
	assert_int_equal(vtb_trace_from_exec(&p->x, &p->tab, &trace), 0);
	assert_int_equal(trace.order, VTB_ORDER_TOTAL);
	assert_int_equal(trace.n_events, 4);
	assert_int_equal(trace.tab.n_variables, 4); /* thread 0.3, ready, accounts[1].m, color: not counter */
	assert_string_equal(vtb_variable_name(&trace.tab, trace.events[1].aux), "accounts[1].m");
	assert_string_equal(vtb_variable_name(&trace.tab, trace.events[2].var), "color");
	assert_int_equal(trace.events[3].kind, VTB_E_PENDING);
	assert_int_equal(trace.events[3].aux, VTB_E_LOCK);
	assert_string_equal(vtb_thread_path(&trace.tab, trace.events[3].thread), "0.3");
	assert_string_equal(trace.tab.sites[trace.events[0].site].function, "main");
	assert_string_equal(trace.tab.modules[0].path, fixtures[0]);
	assert_string_equal(vtb_thread_path(&trace.tab, trace.outcome.thread), "0.3");
	assert_string_equal(trace.outcome.signature, p->x.outcome.signature);
	vtb_trace_fini(&trace);
	close_program(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enabled_rows_follow_birth_block_unblock_and_death),
		cmocka_unit_test(a_record_may_tell_of_several_threads),
		cmocka_unit_test(a_thread_may_be_blocked_before_its_creation_is_told),
		cmocka_unit_test(what_spinners_do_at_last_when_nobody_else_can_go_on_is_in_vain),
		cmocka_unit_test(rows_grow_when_there_are_more_than_64_threads),
		cmocka_unit_test(a_deviation_marks_the_next_event_only),
		cmocka_unit_test(pending_operations_and_a_signature_tell_of_a_deadlock),
		cmocka_unit_test(the_outcome_tells_where_and_what),
		cmocka_unit_test(environment_objects_have_names),
		cmocka_unit_test(damaged_streams_are_refused_with_their_offset),
		cmocka_unit_test(random_words_do_no_harm),
		cmocka_unit_test(hostile_blocks_are_refused),
		cmocka_unit_test(a_run_becomes_a_trace_with_the_names_it_uses),
	};

	return cmocka_run_group_tests_name("ingest_run", tests, NULL, NULL);
}
