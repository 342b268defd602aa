/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "vtb/classify.h"
#include "fake_program.h"
#include "shrink.h"
#include "vtb/story.h"

/* Shrink the first random failure and tell its story. */
static void tell(const struct fake_program *program, struct fake_runner *fake, struct vtb_shrunk *s,
                 struct vtb_story *story)
{
	struct vtb_exec found;

	fake_runner_init(fake, program);
	found = fake_find(fake, 1);
	assert_int_equal(vtb_shrink(&fake->base, &found, NULL, s, NULL), 0);
	vtb_exec_fini(&found);
	vtb_story_find(&s->exec, fake->base.tab, NULL, story);
}

static void finish(struct fake_runner *fake, struct vtb_shrunk *s)
{
	vtb_shrunk_fini(s);
	vtb_runner_free(&fake->base);
}

static void a_lost_update_is_told_as_read_intruder_write(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_story story;
	char text[300];

	(void)state;
	tell(&fake_account, &fake, &s, &story);
	assert_int_equal(story.pattern, VTB_PATTERN_LOST_UPDATE);
	assert_int_equal(story.var, 0);
	assert_true(story.n_steps >= 5 && story.n_steps <= 7);
	assert_int_equal(story.steps[story.first].event.kind, VTB_E_READ);
	assert_true(story.steps[story.first].preempted);
	assert_int_equal(story.steps[story.intruder].event.kind, VTB_E_WRITE);
	assert_int_equal(story.steps[story.second].event.kind, VTB_E_WRITE);
	assert_int_equal(story.steps[story.first].event.thread, story.steps[story.second].event.thread);
	assert_int_equal(story.steps[story.n_steps - 1].role, VTB_STEP_FAILS);
	vtb_story_suggest(&story, NULL, fake.base.tab, text, sizeof(text));
	assert_non_null(strstr(text, "the same lock at"));
	assert_non_null(strstr(text, "balance"));
	finish(&fake, &s);
}

static void a_late_initialisation_is_an_order_violation_with_the_missing_write(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_story story;
	char text[300];

	(void)state;
	tell(&fake_late_init, &fake, &s, &story);
	assert_int_equal(story.pattern, VTB_PATTERN_ORDER);
	assert_int_equal(story.steps[story.first].event.kind, VTB_E_READ);
	assert_int_equal(story.steps[story.intruder].role, VTB_STEP_PENDING);
	assert_int_equal(story.steps[story.intruder].event.kind, VTB_E_WRITE);
	vtb_story_suggest(&story, NULL, fake.base.tab, text, sizeof(text));
	assert_non_null(strstr(text, "fake.c:3 must come before fake.c:101"));
	finish(&fake, &s);
}

static void a_lock_cycle_names_both_locks_and_where_they_are_taken(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_story story;
	char text[300];

	(void)state;
	tell(&fake_lock_cycle, &fake, &s, &story);
	assert_int_equal(story.pattern, VTB_PATTERN_LOCK_CYCLE);
	assert_int_equal(story.n_cycle, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(story.cycle[i].taken.var, story.cycle[i].wanted.var);
		assert_int_equal(story.cycle[i].taken.thread, story.cycle[1 - i].wanted.thread);
	}
	vtb_story_suggest(&story, NULL, fake.base.tab, text, sizeof(text));
	assert_true(strcmp(text, "Take a and b in the same order everywhere.") == 0 ||
	            strcmp(text, "Take b and a in the same order everywhere.") == 0);
	finish(&fake, &s);
}

static void a_signal_before_the_wait_is_a_lost_wakeup(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_story story;

	(void)state;
	tell(&fake_lost_signal, &fake, &s, &story);
	assert_int_equal(story.pattern, VTB_PATTERN_LOST_WAKEUP);
	assert_int_equal(story.steps[story.intruder].event.kind, VTB_E_COND_SIGNAL);
	assert_int_equal(story.steps[story.first].event.kind, VTB_E_COND_WAIT);
	assert_int_equal(story.steps[story.n_steps - 1].role, VTB_STEP_PENDING);
	finish(&fake, &s);
}

/* The thread that had the lock, since a wait on condition 2 gave it back, was cancelled; nobody else waits. */
static void a_lock_whose_holder_has_ended_is_told_with_its_end(void **state)
{
	struct vtb_event events[] = {
		{ .thread = 1, .kind = VTB_E_COND_WAKE, .var = 2, .site = VTB_NONE, .flags = VTB_EVF_ACQUIRES },
		{ .thread = 0, .kind = VTB_E_THREAD_CANCEL, .var = 1, .site = VTB_NONE },
		{ .thread = 1, .kind = VTB_E_THREAD_END, .var = 1, .site = VTB_NONE, .flags = VTB_EVF_RELEASES }
	};
	struct vtb_event wanted = { .thread = 0, .kind = VTB_E_PENDING, .aux = VTB_E_LOCK, .site = VTB_NONE };
	struct vtb_exec x = { .events = events, .n_events = 3, .pending = &wanted, .n_pending = 1 };
	struct vtb_symtab tab = { 0 };
	struct vtb_story story;
	char text[300];

	(void)state;
	assert_int_equal(vtb_symtab_thread(&tab, VTB_NONE, 0), 0);
	assert_int_equal(vtb_symtab_thread(&tab, 0, 0), 1);
	x.outcome = (struct vtb_outcome){ .verdict = VTB_V_CONDITION_DEADLOCK, .thread = VTB_NONE, .site = VTB_NONE };
	vtb_story_find(&x, &tab, NULL, &story);
	assert_int_equal(story.pattern, VTB_PATTERN_ABANDONED);
	assert_int_equal(story.n_steps, 4);      /* the cancellation and who waits, too */
	assert_int_equal(story.var, wanted.var); /* the lock, not the condition */
	assert_int_equal(story.steps[story.first].event.kind, VTB_E_COND_WAKE);
	assert_int_equal(story.steps[story.intruder].event.kind, VTB_E_THREAD_END);
	vtb_story_sentence(&x, &tab, &story, text, sizeof(text));
	assert_non_null(strstr(text, "and held when it ended"));
	events[2].thread = 0; /* its thread lives, and is not told to end */
	vtb_story_find(&x, &tab, NULL, &story);
	assert_int_equal(story.pattern, VTB_PATTERN_STUCK);
	vtb_symtab_fini(&tab);
}

static void orders_forced_by_creation_and_join_are_known(void **state)
{
	struct fake_runner fake;
	struct vtb_exec x;
	size_t write = 0, read = 0, child = 0, other = 0;

	(void)state;
	fake_runner_init(&fake, &fake_account);
	x = fake_run(&fake, NULL);
	for (size_t i = 0; i < x.n_events; i++) {
		write = x.events[i].thread == 0 && x.events[i].kind == VTB_E_WRITE ? i : write;
		read = x.events[i].thread == 0 && x.events[i].kind == VTB_E_READ ? i : read;
		child = x.events[i].thread == 1 && x.events[i].kind == VTB_E_WRITE ? i : child;
		other = x.events[i].thread == 2 && x.events[i].kind == VTB_E_WRITE ? i : other;
	}
	assert_true(vtb_classify_forced(&x, fake.base.tab, write, child));
	assert_true(vtb_classify_forced(&x, fake.base.tab, child, read));
	assert_false(vtb_classify_forced(&x, fake.base.tab, child, other));
	assert_false(vtb_classify_forced(&x, fake.base.tab, read, write));
	vtb_exec_fini(&x);
	vtb_runner_free(&fake.base);
}

static void a_run_without_events_has_an_empty_story(void **state)
{
	struct vtb_exec x = { .stride = 1, .outcome = { .verdict = VTB_V_SIGNAL, .thread = VTB_NONE } };
	struct vtb_symtab tab = { 0 };
	struct vtb_story story;
	char text[100];

	(void)state;
	vtb_story_find(&x, &tab, NULL, &story);
	assert_int_equal(story.n_steps, 0);
	assert_int_equal(story.pattern, VTB_PATTERN_UNKNOWN);
	assert_string_equal(vtb_story_suggest(&story, &x, &tab, text, sizeof(text)), "");
}

/* Main builds x before it makes the other thread, reads it twice under m, and the other thread writes it in between. */
static void a_step_begins_after_the_other_thread_is_made_and_names_the_lock(void **state)
{
	static const struct {
		uint16_t thread;
		uint8_t kind;
		uint32_t var; /* 0: x, 1: m */
	} rows[] = { { 0, VTB_E_WRITE, 0 }, { 0, VTB_E_THREAD_CREATE, 2 }, { 0, VTB_E_LOCK, 1 },
		     { 0, VTB_E_READ, 0 },  { 0, VTB_E_UNLOCK, 1 },        { 1, VTB_E_LOCK, 1 },
		     { 1, VTB_E_WRITE, 0 }, { 1, VTB_E_UNLOCK, 1 },        { 0, VTB_E_LOCK, 1 },
		     { 0, VTB_E_READ, 0 },  { 0, VTB_E_FAIL, 0 } };
	enum { N = sizeof(rows) / sizeof(*rows) };
	static const char *const names[] = { "x", "m", "thread 0.0" };
	struct vtb_event events[N];
	uint64_t enabled[N];
	struct vtb_exec x = { .events = events,
		              .n_events = N,
		              .enabled = enabled,
		              .n_enabled = N,
		              .stride = 1,
		              .outcome = { .verdict = VTB_V_ASSERTION, .thread = 0 } };
	struct vtb_symtab tab = { 0 };
	struct vtb_story story;
	char text[600];

	(void)state;
	assert_int_equal(vtb_symtab_thread(&tab, VTB_NONE, 0), 0);
	assert_int_equal(vtb_symtab_thread(&tab, 0, 0), 1);
	for (uint32_t i = 0; i < 3; i++) {
		const struct vtb_object object = { .kind = i == 2 ? VTB_OBJ_THREAD : VTB_OBJ_GLOBAL,
			                           .name = names[i],
			                           .thread = i == 2 ? 1 : VTB_NONE,
			                           .site = VTB_NONE,
			                           .key = i + 1 };

		assert_int_equal(vtb_symtab_add_object(&tab, &object), i);
		assert_int_equal(vtb_symtab_add_variable(&tab, &(struct vtb_variable){ .object = i, .name = names[i] }),
		                 i);
	}
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(
		    vtb_symtab_add_site(&tab, &(struct vtb_site){ .module = VTB_NONE, .file = "a.c", .line = 10 + i }),
		    i);
		enabled[i] = i < 2 ? 1 : 3;
		events[i] = (struct vtb_event){ .kind = rows[i].kind,
			                        .thread = rows[i].thread,
			                        .var = rows[i].var,
			                        .addr = 64 * (1 + rows[i].var),
			                        .size = 4,
			                        .site = i };
	}
	vtb_story_find(&x, &tab, NULL, &story);
	vtb_story_suggest(&story, &x, &tab, text, sizeof(text));
	assert_string_equal(text,
	                    "Make a.c:13 to a.c:19 one step for x: hold m, as a.c:13 does already, from the one to the "
	                    "other, and the same lock at a.c:16.");
	vtb_symtab_fini(&tab);
}

static void long_stories_are_cut_to_what_matters_most(void **state)
{
	struct fake_runner fake;
	struct vtb_exec x;
	struct vtb_story story;

	(void)state; /* a random run with many switches, not shrunk */
	fake_runner_init(&fake, &fake_two_windows);
	x = fake_find(&fake, 1);
	vtb_story_find(&x, fake.base.tab, NULL, &story);
	assert_true(story.n_steps <= VTB_STEPS_MAX);
	assert_int_equal(story.steps[story.n_steps - 1].role, VTB_STEP_FAILS);
	for (size_t i = 1; i < story.n_steps; i++)
		assert_true(story.steps[i - 1].at < story.steps[i].at);
	vtb_exec_fini(&x);
	vtb_runner_free(&fake.base);
}

#define SWITCHES 300u

/* Two threads take turns at what only they touch, each stopped each time; then one update is lost. */
static void the_pattern_and_the_failure_are_told_however_many_switches_there_are(void **state)
{
	static struct vtb_event events[SWITCHES + 5];
	static uint64_t enabled[SWITCHES + 5];
	static const uint8_t kinds[] = { VTB_E_READ, VTB_E_READ, VTB_E_WRITE, VTB_E_WRITE, VTB_E_FAIL };
	static const uint16_t whose[] = { 1, 2, 2, 1, 1 };
	struct vtb_exec x = { .events = events,
		              .n_events = SWITCHES + 5,
		              .enabled = enabled,
		              .n_enabled = SWITCHES + 5,
		              .stride = 1,
		              .outcome = { .verdict = VTB_V_ASSERTION, .thread = 1 } };
	struct vtb_symtab tab = { 0 };
	struct vtb_story story;

	(void)state;
	for (uint32_t t = 0; t < 3; t++)
		assert_int_equal(vtb_symtab_thread(&tab, t ? 0 : VTB_NONE, t ? t - 1 : 0), t);
	for (uint32_t i = 0; i < SWITCHES + 5; i++) {
		const bool last = i >= SWITCHES;

		enabled[i] = 6;
		events[i] = (struct vtb_event){ .thread = last ? whose[i - SWITCHES] : (uint16_t)(1 + i % 2),
			                        .kind = last ? kinds[i - SWITCHES] : VTB_E_WRITE,
			                        .var = VTB_NONE,
			                        .site = VTB_NONE,
			                        .addr = last ? 0x1000 : 0x2000 + 64 * (uint64_t)(i % 2),
			                        .size = 4 };
	}
	vtb_story_find(&x, &tab, NULL, &story);
	assert_int_equal(story.n_steps, VTB_STEPS_MAX);
	assert_int_equal(story.pattern, VTB_PATTERN_LOST_UPDATE);
	assert_int_equal(story.steps[story.n_steps - 1].role, VTB_STEP_FAILS);
	assert_true(story.first < story.intruder && story.intruder < story.second && story.second < story.n_steps);
	vtb_symtab_fini(&tab);
}

/* ---- long stretches: most operations are passed over without being held against each other */

#define THREADS 3u
#define EVENTS 900u

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* Touches nothing that anything else touches. Without a size, no sieve tells that. */
static struct vtb_event inert(uint32_t thread, uint32_t nth, bool sized)
{
	return (struct vtb_event){ .thread = (uint16_t)thread,
		                   .kind = VTB_E_READ,
		                   .var = VTB_NONE,
		                   .site = VTB_NONE,
		                   .addr = sized ? 0x900000 + 64 * nth : 0,
		                   .size = sized ? 4 : 0 };
}

static struct vtb_event any_access(uint64_t *seed, uint32_t thread)
{
	static const uint8_t kinds[] = { VTB_E_READ, VTB_E_READ, VTB_E_WRITE, VTB_E_ATOMIC_RMW };
	const bool shared = draw(seed, 40) == 0;
	const uint64_t base = shared ? 0x1000 : 0x10000 * (thread + 1);

	return (struct vtb_event){ .thread = (uint16_t)thread,
		                   .kind = kinds[draw(seed, 4)],
		                   .var = VTB_NONE,
		                   .site = VTB_NONE,
		                   .addr = base + draw(seed, shared ? 100 : 4000),
		                   .size = 1 + draw(seed, 12) };
}

/* Each thread's first and last operation is inert; in between they take turns of up to 200. */
static void make_run(uint64_t seed, bool sized, struct vtb_event *events, uint64_t *enabled, struct vtb_exec *ret)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < THREADS; t++, n++)
		events[n] = inert(t, n, sized);
	while (n < EVENTS - THREADS) {
		const uint32_t thread = draw(&seed, THREADS), turn = 1 + draw(&seed, 200);

		for (uint32_t i = 0; i < turn && n < EVENTS - THREADS; i++)
			events[n++] = any_access(&seed, thread);
	}
	for (uint32_t t = 0; t < THREADS; t++, n++)
		events[n] = inert(t, n, sized);
	for (uint32_t i = 0; i < EVENTS; i++)
		enabled[i] = draw(&seed, 1u << THREADS);
	*ret = (struct vtb_exec){ .events = events, .n_events = EVENTS, .enabled = enabled, .stride = 1 };
	ret->outcome.thread = draw(&seed, THREADS);
}

static void what_a_sieve_passes_over_would_have_made_no_difference(void **state)
{
	static struct vtb_event events[2][EVENTS];
	static uint64_t enabled[2][EVENTS];
	struct vtb_symtab tab = { 0 };
	uint32_t told = 0;

	(void)state;
	for (uint32_t t = 0; t < THREADS; t++)
		assert_int_equal(vtb_symtab_thread(&tab, t ? 0 : VTB_NONE, t ? t - 1 : 0), t);
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct vtb_exec x[2];
		struct vtb_triple triple[2] = { 0 };
		bool found[2];

		for (int i = 0; i < 2; i++) {
			make_run(seed, i == 0, events[i], enabled[i], &x[i]);
			found[i] = vtb_classify_atomicity(&x[i], &tab, &triple[i]);
		}
		assert_int_equal(found[0], found[1]);
		assert_memory_equal(&triple[0], &triple[1], sizeof(triple[0]));
		told += found[0];
	}
	assert_true(told > 100);
	vtb_symtab_fini(&tab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pattern_and_the_failure_are_told_however_many_switches_there_are),
		cmocka_unit_test(what_a_sieve_passes_over_would_have_made_no_difference),
		cmocka_unit_test(a_lost_update_is_told_as_read_intruder_write),
		cmocka_unit_test(a_late_initialisation_is_an_order_violation_with_the_missing_write),
		cmocka_unit_test(a_lock_cycle_names_both_locks_and_where_they_are_taken),
		cmocka_unit_test(a_signal_before_the_wait_is_a_lost_wakeup),
		cmocka_unit_test(a_lock_whose_holder_has_ended_is_told_with_its_end),
		cmocka_unit_test(orders_forced_by_creation_and_join_are_known),
		cmocka_unit_test(a_run_without_events_has_an_empty_story),
		cmocka_unit_test(a_step_begins_after_the_other_thread_is_made_and_names_the_lock),
		cmocka_unit_test(long_stories_are_cut_to_what_matters_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
