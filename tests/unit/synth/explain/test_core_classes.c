/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of mistakes: for each a run that shows it, and one that nearly does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "scene.h"

static void a_block_that_is_given_back_twice_is_freed_twice(void **state)
{
	struct scene s = { .verdict = VTB_V_MEMORY };
	const size_t first = does(&s, 1, VTB_E_FREE, X, 0);

	(void)state;
	before(&s, first, does(&s, 2, VTB_E_FREE, X, 0));
	assert_string_equal(kind_of(&s), "double-free");
	s.verdict = VTB_V_ASSERTION;
	assert_string_equal(kind_of(&s), "order-violation");
}

static void memorys_verdict_wins_over_what_the_orders_look_like(void **state)
{
	struct scene s = { .verdict = VTB_V_MEMORY, .message = "memory was used after it was freed" };
	const size_t grows = does(&s, 0, VTB_E_WRITE, X, 1);

	(void)state;
	before(&s, grows, does(&s, 1, VTB_E_READ, X, 1));
	assert_string_equal(kind_of(&s), "use-after-free");
	s.message = "a block was freed twice";
	assert_string_equal(kind_of(&s), "double-free");
	s.message = "a write behind the end of a block";
	assert_string_equal(kind_of(&s), "order-violation");
}

/* The class of an object changes while it is made and destroyed. */
static void a_call_while_the_class_changes_is_of_half_an_object(void **state)
{
	struct scene s = { .verdict = VTB_V_SIGNAL, .x = "job._vptr.Job in main()" };
	const size_t change = does(&s, 0, VTB_E_WRITE, X, 1);

	(void)state;
	before(&s, change, does(&s, 1, VTB_E_READ, X, 1));
	assert_string_equal(kind_of(&s), "half-object");
	s.x = "job.state in main()";
	assert_string_equal(kind_of(&s), "order-violation");
}

/* Which order led them there is no order that anybody asked for. */
static void threads_that_go_round_for_ever_are_a_livelock(void **state)
{
	struct scene s = { .verdict = VTB_V_LIVELOCK };
	const size_t reads = does(&s, 1, VTB_E_READ, X, 0);

	(void)state;
	before(&s, reads, does(&s, 2, VTB_E_WRITE, X, 1));
	assert_string_equal(kind_of(&s), "livelock");
}

static void locks_in_a_circle_are_a_deadlock(void **state)
{
	struct scene s = { .verdict = VTB_V_DEADLOCK };
	const size_t one = does(&s, 1, VTB_E_LOCK, X, 0);

	(void)state;
	before_what_was_to_come(&s, one, 2, VTB_E_LOCK, X);
	assert_string_equal(kind_of(&s), "deadlock");
}

/* Thread 1 waits for the end of thread 2, which waits for a lock that it has, or has let go. */
static const char *joined_under(bool held)
{
	struct scene s = { .verdict = VTB_V_DEADLOCK };
	const size_t one = does(&s, 1, VTB_E_LOCK, LOCK, 0);

	if (!held)
		does(&s, 1, VTB_E_UNLOCK, LOCK, 0);
	before_what_was_to_come(&s, one, 2, VTB_E_LOCK, LOCK);
	s.pending[s.n_pending++] = (struct vtb_event){ .thread = 1, .kind = VTB_E_THREAD_JOIN, .var = HANDLE };
	s.pending[s.n_pending++] = (struct vtb_event){ .thread = 2, .kind = VTB_E_LOCK, .var = LOCK };
	return kind_of(&s);
}

static void a_thread_that_is_joined_under_a_lock_it_takes_is_that(void **state)
{
	(void)state;
	assert_string_equal(joined_under(true), "join-under-lock");
	assert_string_equal(joined_under(false), "deadlock");
}

/* Two threads take two units of X each, or only one of the two orders is about that. */
static const char *takes_units(unsigned other)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	const size_t one = does(&s, 1, VTB_E_SEM_WAIT, X, 0), two = does(&s, 2, other, X, 0);

	before_what_was_to_come(&s, one, 2, VTB_E_SEM_WAIT, X);
	before_what_was_to_come(&s, two, 1, VTB_E_SEM_WAIT, X);
	return kind_of(&s);
}

static void who_has_a_part_and_waits_for_the_rest_holds_and_waits(void **state)
{
	(void)state;
	assert_string_equal(takes_units(VTB_E_SEM_WAIT), "hold-and-wait");
	assert_string_equal(takes_units(VTB_E_WRITE), "atomicity-violation");
}

/* Looks at what it writes, writes it, and looks again, at one place; `in_call`: which is that of the call. */
static size_t writes_out(struct scene *s, uint32_t thread, bool in_call)
{
	const size_t look = does(s, thread, VTB_E_READ, Y, 0), writes = does(s, thread, VTB_E_IO_WRITE, X, 0);

	s->events[does(s, thread, VTB_E_READ, Y, 0)].site = s->events[look].site;
	if (in_call)
		s->events[writes].site = s->events[look].site;
	return writes;
}

/* Two threads each seek in a file and write to it. */
static const char *disturbed(bool in_call)
{
	struct scene s = { .verdict = VTB_V_EXIT };
	const size_t seeks = does(&s, 1, VTB_E_IO_WRITE, X, 0), other = does(&s, 2, VTB_E_IO_WRITE, X, 0);
	const size_t writes = writes_out(&s, 1, in_call), last = writes_out(&s, 2, in_call);

	before(&s, seeks, other);
	before(&s, other, writes);
	before(&s, writes, last);
	return kind_of(&s);
}

static void a_call_that_looks_twice_at_what_it_is_given_is_no_loop(void **state)
{
	(void)state;
	assert_string_equal(disturbed(true), "atomicity-violation");
	assert_string_equal(disturbed(false), "order-violation");
}

/* `inside`: the condition has a mutex of its own, as std::condition_variable_any. `held`: whoever changes it locks. */
static const char *stopped_while_it_goes_to_wait(bool inside, bool held)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t test, change, signal;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	test = does(&s, 1, VTB_E_READ, X, 0);
	if (inside)
		does(&s, 1, VTB_E_LOCK, INNER, 0);
	if (inside)
		does(&s, 1, VTB_E_UNLOCK, LOCK, 0);
	if (held)
		does(&s, 2, VTB_E_LOCK, LOCK, 0);
	change = does(&s, 2, VTB_E_WRITE, X, 1);
	signal = does(&s, 2, VTB_E_COND_SIGNAL, COND, 0);
	before(&s, test, change);
	before(&s, signal, waits(&s, 1, COND, inside ? INNER : LOCK, VTB_E_COND_WAIT));
	still_waits(&s, 1, COND);
	return kind_of(&s);
}

static void a_predicate_that_is_changed_without_its_mutex_is_that(void **state)
{
	(void)state;
	assert_string_equal(stopped_while_it_goes_to_wait(false, false), "predicate-without-mutex");
	assert_string_equal(stopped_while_it_goes_to_wait(true, false), "predicate-without-mutex");
	assert_string_equal(stopped_while_it_goes_to_wait(true, true), "lost-wakeup");
}

static void a_signal_that_comes_before_the_wait_is_lost(void **state)
{
	struct scene s = { .verdict = VTB_V_LOST_WAKEUP };
	const size_t signal = does(&s, 2, VTB_E_COND_SIGNAL, COND, 0);

	(void)state;
	before(&s, signal, waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT));
	still_waits(&s, 1, COND);
	assert_string_equal(kind_of(&s), "lost-wakeup");
	s.verdict = VTB_V_ASSERTION;
	assert_string_equal(kind_of(&s), "order-violation");
}

static const char *signalled(uint64_t woken)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t one, other;

	one = waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	other = waits(&s, 2, COND, LOCK, VTB_E_COND_WAIT);
	does(&s, 0, VTB_E_COND_SIGNAL, COND, woken);
	waits(&s, 1, COND, LOCK, VTB_E_COND_WAKE);
	still_waits(&s, 2, COND);
	before(&s, one, other);
	return kind_of(&s);
}

static void one_signal_where_several_wait_is_too_few(void **state)
{
	(void)state;
	assert_string_equal(signalled(1), "too-few-woken");
	assert_string_not_equal(signalled(0), "too-few-woken");
}

/* Two threads wait for a word to be no longer 0; one of them is woken when it is `value`. */
static const char *woken_at_word(uint64_t value)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t one, other;

	does(&s, 1, VTB_E_ATOMIC_LOAD, X, 0);
	one = does(&s, 1, VTB_E_FUTEX_WAIT, X, 0);
	does(&s, 2, VTB_E_ATOMIC_LOAD, X, 0);
	other = does(&s, 2, VTB_E_FUTEX_WAIT, X, 0);
	does(&s, 0, VTB_E_ATOMIC_STORE, X, value);
	does(&s, 0, VTB_E_FUTEX_WAKE, X, 1);
	does(&s, 1, VTB_E_FUTEX_WOKEN, X, 0);
	still_waits(&s, 2, X);
	s.pending[0].kind = VTB_E_FUTEX_WOKEN;
	before(&s, one, other);
	return kind_of(&s);
}

static void who_waits_for_a_word_is_passed_over_only_if_it_has_changed(void **state)
{
	(void)state;
	assert_string_equal(woken_at_word(1), "too-few-woken");
	assert_string_not_equal(woken_at_word(0), "too-few-woken");
}

/* A thread tests and waits; another one changes what was tested, before or after that; then somebody signals. */
static const char *changed(bool while_it_waits, unsigned signal, uint32_t condition)
{
	struct scene s = { .verdict = VTB_V_CONDITION_DEADLOCK };
	size_t test, change = 0;

	does(&s, 1, VTB_E_LOCK, LOCK, 0);
	test = does(&s, 1, VTB_E_READ, X, 0);
	if (while_it_waits)
		waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	does(&s, 2, VTB_E_LOCK, LOCK, 0);
	change = does(&s, 2, VTB_E_WRITE, X, 1);
	if (signal)
		does(&s, 2, signal, condition, 0);
	does(&s, 2, VTB_E_UNLOCK, LOCK, 0);
	if (!while_it_waits)
		waits(&s, 1, COND, LOCK, VTB_E_COND_WAIT);
	still_waits(&s, 1, COND);
	before(&s, test, change);
	return kind_of(&s);
}

static void a_change_that_is_not_signalled_is_slept_through(void **state)
{
	(void)state;
	assert_string_equal(changed(true, 0, COND), "not-signalled");
	assert_string_equal(changed(true, VTB_E_COND_SIGNAL, INNER), "not-signalled"); /* another condition */
	assert_string_not_equal(changed(true, VTB_E_COND_SIGNAL, COND), "not-signalled");
	assert_string_not_equal(changed(true, VTB_E_COND_BROADCAST, COND), "not-signalled");
	assert_string_not_equal(changed(false, 0, COND), "not-signalled");
}

static const char *exchanges(uint64_t back)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	const size_t looks = does(&s, 1, VTB_E_ATOMIC_LOAD, X, 3);
	size_t takes, gives;

	takes = does(&s, 2, VTB_E_ATOMIC_RMW, X, 1);
	gives = does(&s, 2, VTB_E_ATOMIC_RMW, X, back);
	before(&s, looks, takes);
	before(&s, gives, does(&s, 1, VTB_E_ATOMIC_RMW, X, 2)); /* its value is what it writes */
	return kind_of(&s);
}

static void a_value_that_comes_back_is_aba(void **state)
{
	(void)state;
	assert_string_equal(exchanges(3), "aba");
	assert_string_equal(exchanges(4), "atomicity-violation");
}

static const char *read_early(bool sleeps, uint64_t value, bool written)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	size_t read;

	if (written)
		does(&s, 0, VTB_E_WRITE, X, value);
	if (sleeps)
		does(&s, 1, VTB_E_SLEEP, VTB_NONE, 0);
	read = does(&s, 1, VTB_E_READ, X, value);
	before(&s, read, does(&s, 2, VTB_E_WRITE, X, 7));
	return kind_of(&s);
}

static void who_comes_too_early_after_a_sleep_took_time_for_an_order(void **state)
{
	(void)state;
	assert_string_equal(read_early(true, 0, false), "timing-assumption");
	assert_string_equal(read_early(false, 0, false), "use-before-initialisation");
	assert_string_equal(read_early(false, 5, true), "order-violation");
}

/* One variable tells of the other too early; or they belong together, and both are counted. */
static const char *told_of(bool counted)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	size_t tells, told, early;

	if (counted)
		does(&s, 2, VTB_E_READ, Y, 0);
	tells = does(&s, 2, VTB_E_WRITE, X, 1);
	told = does(&s, 1, VTB_E_READ, X, 1);
	early = does(&s, 1, VTB_E_READ, Y, 0);
	before(&s, tells, told);
	before(&s, early, does(&s, 2, VTB_E_WRITE, Y, 1));
	return kind_of(&s);
}

static void what_is_told_of_too_early_is_used_before_initialisation(void **state)
{
	(void)state;
	assert_string_equal(told_of(false), "use-before-initialisation");
	assert_string_equal(told_of(true), "multi-variable-atomicity-violation");
}

/* Read first, and then given back by whoever has made it: what was written to it stands in no event of this run. */
static void who_gives_a_block_back_initialises_nothing(void **state)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	const size_t read = does(&s, 1, VTB_E_READ, X, 0);

	(void)state;
	before(&s, read, does(&s, 2, VTB_E_FREE, X, 0));
	assert_string_equal(kind_of(&s), "order-violation");
}

static void orders_that_go_round_are_an_atomicity_violation(void **state)
{
	struct scene s = { .verdict = VTB_V_ASSERTION };
	const size_t a = (does(&s, 0, VTB_E_WRITE, X, 5), does(&s, 1, VTB_E_READ, X, 5)),
	             b = does(&s, 2, VTB_E_READ, X, 5);
	const size_t c = does(&s, 2, VTB_E_WRITE, X, 6), d = does(&s, 1, VTB_E_WRITE, X, 6);

	(void)state;
	before(&s, a, c);
	assert_string_equal(kind_of(&s), "order-violation");
	before(&s, b, d);
	assert_string_equal(kind_of(&s), "atomicity-violation");
}

static void every_kind_is_found_by_its_name(void **state)
{
	(void)state;
	assert_string_equal(vtb_core_class_named("aba")->name, "aba");
	assert_null(vtb_core_class_named("nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_that_is_given_back_twice_is_freed_twice),
		cmocka_unit_test(memorys_verdict_wins_over_what_the_orders_look_like),
		cmocka_unit_test(a_call_while_the_class_changes_is_of_half_an_object),
		cmocka_unit_test(threads_that_go_round_for_ever_are_a_livelock),
		cmocka_unit_test(locks_in_a_circle_are_a_deadlock),
		cmocka_unit_test(a_thread_that_is_joined_under_a_lock_it_takes_is_that),
		cmocka_unit_test(who_has_a_part_and_waits_for_the_rest_holds_and_waits),
		cmocka_unit_test(a_call_that_looks_twice_at_what_it_is_given_is_no_loop),
		cmocka_unit_test(a_predicate_that_is_changed_without_its_mutex_is_that),
		cmocka_unit_test(a_signal_that_comes_before_the_wait_is_lost),
		cmocka_unit_test(one_signal_where_several_wait_is_too_few),
		cmocka_unit_test(who_waits_for_a_word_is_passed_over_only_if_it_has_changed),
		cmocka_unit_test(a_change_that_is_not_signalled_is_slept_through),
		cmocka_unit_test(a_value_that_comes_back_is_aba),
		cmocka_unit_test(who_comes_too_early_after_a_sleep_took_time_for_an_order),
		cmocka_unit_test(what_is_told_of_too_early_is_used_before_initialisation),
		cmocka_unit_test(who_gives_a_block_back_initialises_nothing),
		cmocka_unit_test(orders_that_go_round_are_an_atomicity_violation),
		cmocka_unit_test(every_kind_is_found_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
