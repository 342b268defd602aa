/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The enabled threads in bitmaps (runtime/sched/ready.c) against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../runtime/sched/ready.c"
#include "../../../runtime/sched/schedule/rank_places.c"

#define THREADS 300u
#define LISTED 130u
#define DEMOTIONS 5000u

/* What ready.c needs of the rest of the runtime. */
struct vtb_rt vtb_rt;
struct vtb_sched vtb_sched;
static struct vtb_wire_schedule schedule;
static char memory[1 << 20] __attribute__((aligned(16)));
static size_t used;

void *vtb_rt_alloc_aside(size_t size)
{
	void *p = memory + used;

	used += (size + 15) & ~15ul;
	return used <= sizeof(memory) ? p : NULL;
}

static uint32_t told[THREADS], n_told;

void vtb_sched_tell_ready(unsigned kind, const struct vtb_rt_thread *of, uint64_t arg)
{
	assert_int_equal(kind, of->sched.enabled ? VTB_E_UNBLOCK : VTB_E_BLOCK);
	assert_int_equal(arg,
	                 of->sched.enabled ? 0 : of->sched.call->kind | (of->sched.deadline ? VTB_BLOCK_ARMED : 0u));
	told[n_told++] = of->base.slot;
}

bool vtb_schedule_allows(const struct vtb_rt_thread *t)
{
	(void)t;
	return true;
}

bool vtb_fair_waits(const struct vtb_rt_thread *t)
{
	(void)t;
	return false;
}

void vtb_stretch_finish(void)
{
}

static const struct vtb_source *const no_source[] = { NULL };
const struct vtb_source *const *vtb_sources = no_source;

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

static struct vtb_rt_thread threads[THREADS];

static int set_up(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		vtb_ready_set(&threads[i], false);
	vtb_rt.n_threads = 0;
	used = 0;
	vtb_rt_fill(memory, 0, sizeof(memory));
	vtb_sched.schedule = &schedule;
	vtb_ready_begin(LISTED, DEMOTIONS);
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct vtb_rt_thread){ .base.slot = i, .base.state = VTB_T_ALIVE };
		threads[i].sched.rank =
		    i % 3 == 0 ? LISTED - 1 - i / 3 : LISTED + i; /* some are listed, the youngest first */
		vtb_rt.threads[vtb_rt.n_threads++] = &threads[i];
	}
	return 0;
}

static struct vtb_rt_thread *dumb_best(const struct vtb_rt_thread *but)
{
	struct vtb_rt_thread *best = NULL;

	for (uint32_t i = 0; i < THREADS; i++)
		if (&threads[i] != but && threads[i].sched.enabled &&
		    (!best || threads[i].sched.rank < best->sched.rank))
			best = &threads[i];
	return best;
}

static void check(void)
{
	struct vtb_rt_thread *other = &threads[below(THREADS)];
	uint32_t n = 0;

	assert_ptr_equal(vtb_ready_best(), dumb_best(NULL));
	assert_ptr_equal(vtb_ready_best_but(other), dumb_best(other));
	for (uint32_t i = 0; i < THREADS; i++)
		if (threads[i].sched.enabled)
			assert_ptr_equal(vtb_ready_nth(n++), &threads[i]);
	assert_int_equal(vtb_ready_count(), n);
}

static void the_bitmaps_say_what_an_array_says(void **unused)
{
	uint64_t demoted = 0;

	(void)unused;
	for (int step = 0; step < 20000; step++) {
		struct vtb_rt_thread *t = &threads[below(THREADS)];

		if (below(8) == 0 && demoted < DEMOTIONS)
			vtb_ready_rank(t, LISTED + VTB_RT_THREADS_MAX + demoted++);
		else
			vtb_ready_set(t, below(step / 4000 + 2) == 0);
		if (step % 16 == 0)
			check();
	}
}

static void another_schedule_keeps_who_is_enabled(void **unused)
{
	(void)unused;
	for (uint32_t i = 0; i < THREADS; i += 7)
		vtb_ready_set(&threads[i], true);
	vtb_ready_begin(LISTED, 10);
	check();
	for (uint32_t i = 0; i < THREADS; i++)
		vtb_ready_set(&threads[i], false);
	assert_null(vtb_ready_best());
	assert_int_equal(vtb_ready_count(), 0);
}

/* ---- who waits for a lock */

static bool is_free;
static uint32_t asked;

static bool lock_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)call;
	asked++;
	return is_free || vtb_time_over(t);
}

static const struct vtb_primitive alike_lock = { "", lock_ready, NULL, vtb_ctl_alike_at_object, true, NULL },
                                  other_lock = { "", lock_ready, NULL, vtb_ctl_at_object, true, NULL };
static struct vtb_call calls[THREADS];

/* Every fifth stands there by another operation, is interrupted or has a deadline; all stand in the list, the last one
 * first. */
static void stand_at(const void *object, uint32_t n)
{
	for (uint32_t i = n; i-- > 0;) {
		struct vtb_rt_thread *t = &threads[i];

		calls[i] = (struct vtb_call){ .prim = i % 5 == 4 && i % 3 == 0 ? &other_lock : &alike_lock,
			                      .kind = VTB_E_LOCK,
			                      .obj = object };
		t->sched.call = &calls[i];
		t->sched.interrupted = i % 5 == 4 && i % 3 == 1;
		t->sched.deadline = i % 5 == 4 && i % 3 == 2 ? 1 : 0;
		vtb_ready_wait(t);
	}
}

static bool goes_on(const struct vtb_rt_thread *t)
{
	return is_free || t->sched.interrupted || (t->sched.deadline && vtb_sched.now >= t->sched.deadline);
}

static void who_waits_alike_goes_on_as_the_first_of_them(void **unused)
{
	static int lock;

	(void)unused;
	stand_at(&lock, THREADS);
	for (int round = 0; round < 8; round++) {
		is_free = round % 2 == 0;
		vtb_sched.now = round >= 4;
		asked = n_told = 0;
		vtb_sched_changed(&lock);
		for (uint32_t i = 0; i < THREADS; i++)
			assert_int_equal(threads[i].sched.enabled, goes_on(&threads[i]));
		for (uint32_t i = 1; i < n_told; i++)
			assert_true(told[i] < told[i - 1]);
		assert_true(asked > 0 && asked < THREADS / 5);
		check();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_bitmaps_say_what_an_array_says, set_up),
		cmocka_unit_test_setup(another_schedule_keeps_who_is_enabled, set_up),
		cmocka_unit_test_setup(who_waits_alike_goes_on_as_the_first_of_them, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
