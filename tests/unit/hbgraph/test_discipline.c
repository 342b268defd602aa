/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses without the lock that is held elsewhere, in programs as users write them; brute force says the same. */
#include "make_trace.h"

#include "vtb/discipline.h"

struct given {
	struct vtb_trace t;
	struct vtb_races races;
	struct vtb_discipline d;
	uint32_t m, other, x;
};

static void begin(struct given *g, uint32_t threads)
{
	t_begin(&g->t, threads);
	g->m = t_lock(&g->t, "m");
	g->other = t_lock(&g->t, "other");
	g->x = t_int(&g->t, "x");
}

static void with(struct given *g, uint32_t thread, uint32_t lock, enum vtb_event_kind kind, uint32_t line)
{
	t_event(&g->t, thread, VTB_E_LOCK, lock, line - 1);
	t_event(&g->t, thread, kind, g->x, line);
	t_event(&g->t, thread, VTB_E_UNLOCK, lock, line + 1);
}

static void look(struct given *g)
{
	assert_int_equal(vtb_races_of(&g->t, &g->races), 0);
	assert_int_equal(vtb_discipline_of(&g->t, &g->races, &g->d), 0);
}

static void end(struct given *g)
{
	vtb_discipline_fini(&g->d);
	vtb_races_fini(&g->races);
	vtb_trace_fini(&g->t);
}

static uint32_t line_of(const struct given *g, size_t event)
{
	return g->t.tab.sites[g->t.events[event].site].line;
}

static void nothing(struct given *g)
{
	look(g);
	assert_int_equal(g->d.n_unlocked, 0);
	end(g);
}

static void a_reader_without_the_lock_of_the_writers_is_named(void **state)
{
	struct given g;

	(void)state;
	begin(&g, 4);
	with(&g, 1, g.m, VTB_E_WRITE, 10);
	with(&g, 2, g.m, VTB_E_WRITE, 20);
	t_event(&g.t, 3, VTB_E_READ, g.x, 30);
	look(&g);
	assert_int_equal(g.d.n_unlocked, 1);
	assert_int_equal(g.d.unlocked[0].lock, g.m);
	assert_int_equal(g.d.unlocked[0].var, g.x);
	assert_int_equal(line_of(&g, g.d.unlocked[0].event), 30);
	assert_false(g.d.unlocked[0].reading);
	assert_int_equal(g.d.unlocked[0].n_sites, 2);
	assert_int_equal(g.t.tab.sites[g.d.sites[g.d.unlocked[0].first_site]].line, 10);
	assert_int_equal(g.t.tab.sites[g.d.sites[g.d.unlocked[0].first_site + 1]].line, 20);
	end(&g);
}

static void each_line_without_the_lock_is_named_once(void **state)
{
	struct given g;

	(void)state;
	begin(&g, 5);
	with(&g, 1, g.m, VTB_E_WRITE, 10);
	with(&g, 2, g.m, VTB_E_WRITE, 20);
	for (uint32_t thread = 3; thread < 5; thread++) { /* counter++ */
		t_event(&g.t, thread, VTB_E_READ, g.x, 30);
		t_event(&g.t, thread, VTB_E_WRITE, g.x, 30);
	}
	look(&g);
	assert_int_equal(g.d.n_unlocked, 1);
	end(&g);
}

static void another_lock_is_not_the_lock(void **state)
{
	struct given g;

	(void)state;
	begin(&g, 4);
	with(&g, 1, g.m, VTB_E_WRITE, 10);
	with(&g, 2, g.m, VTB_E_READ, 20);
	with(&g, 3, g.other, VTB_E_WRITE, 30);
	look(&g);
	assert_int_equal(g.d.n_unlocked, 1);
	assert_int_equal(g.d.unlocked[0].lock, g.m);
	assert_int_equal(line_of(&g, g.d.unlocked[0].event), 30);
	end(&g);
}

static void a_write_under_a_lock_held_for_reading_is_named(void **state)
{
	struct given g;

	(void)state;
	begin(&g, 4);
	for (uint32_t thread = 1; thread < 4; thread++) {
		t_event(&g.t, thread, VTB_E_RDLOCK, g.m, 10 * thread);
		t_event(&g.t, thread, thread == 3 ? VTB_E_WRITE : VTB_E_READ, g.x, 10 * thread + 1);
		t_event(&g.t, thread, VTB_E_RWUNLOCK, g.m, 10 * thread + 2);
	}
	look(&g);
	assert_int_equal(g.d.n_unlocked, 1);
	assert_int_equal(line_of(&g, g.d.unlocked[0].event), 31);
	assert_true(g.d.unlocked[0].reading);
	end(&g);
}

static void what_is_mostly_without_a_lock_has_none(void **state)
{
	struct given g;

	(void)state;
	begin(&g, 4);
	with(&g, 1, g.m, VTB_E_WRITE, 10);
	t_event(&g.t, 2, VTB_E_READ, g.x, 20);
	t_event(&g.t, 3, VTB_E_READ, g.x, 30);
	look(&g);
	assert_int_equal(g.races.n_races, 2); /* races they are all the same */
	assert_int_equal(g.d.n_unlocked, 0);
	end(&g);
}

static void before_threads_start_and_after_they_end_nobody_needs_it(void **state)
{
	struct given g;
	uint32_t child;

	(void)state;
	begin(&g, 2);
	child = t_thread(&g.t, 1);
	t_event(&g.t, 0, VTB_E_WRITE, g.x, 1);
	t_event(&g.t, 0, VTB_E_THREAD_CREATE, child, 2);
	t_event(&g.t, 1, VTB_E_THREAD_BEGIN, child, 0);
	with(&g, 0, g.m, VTB_E_WRITE, 10);
	with(&g, 1, g.m, VTB_E_WRITE, 20);
	t_event(&g.t, 1, VTB_E_THREAD_END, child, 0);
	t_event(&g.t, 0, VTB_E_THREAD_JOIN, child, 30);
	t_event(&g.t, 0, VTB_E_READ, g.x, 31);
	nothing(&g);
}

/* Made without a lock, put where others find it under one; taken out under it, used without. */
static void what_is_handed_over_under_a_lock_needs_none(void **state)
{
	struct given g;
	uint32_t head;

	(void)state;
	begin(&g, 3);
	head = t_int(&g.t, "head");
	for (uint32_t thread = 1; thread < 3; thread++) {
		if (thread == 1)
			t_event(&g.t, thread, VTB_E_WRITE, g.x, 10);
		t_event(&g.t, thread, VTB_E_LOCK, g.m, 11);
		t_event(&g.t, thread, VTB_E_WRITE, head, 12);
		t_event(&g.t, thread, VTB_E_WRITE, g.x, 13);
		t_event(&g.t, thread, VTB_E_UNLOCK, g.m, 14);
		if (thread == 2)
			t_event(&g.t, thread, VTB_E_WRITE, g.x, 15);
	}
	nothing(&g);
}

static void a_lock_that_changes_with_a_phase_is_no_violation(void **state)
{
	struct given g;
	uint32_t sem;

	(void)state;
	begin(&g, 3);
	sem = t_object(&g.t, VTB_OBJ_SYNC, "phase", 32, VTB_NONE);
	with(&g, 1, g.m, VTB_E_WRITE, 10);
	t_event(&g.t, 1, VTB_E_SEM_POST, sem, 12);
	t_event(&g.t, 2, VTB_E_SEM_WAIT, sem, 19);
	with(&g, 2, g.other, VTB_E_WRITE, 21);
	nothing(&g);
}

static void what_is_only_read_and_atomic_accesses_are_no_violation(void **state)
{
	struct given g;

	(void)state;
	begin(&g, 3);
	with(&g, 1, g.m, VTB_E_READ, 10);
	t_event(&g.t, 2, VTB_E_READ, g.x, 20);
	nothing(&g);
	begin(&g, 3);
	t_event(&g.t, 1, VTB_E_LOCK, g.m, 9);
	t_atomic(&g.t, 1, VTB_E_ATOMIC_STORE, g.x, 10, VTB_ORDER_RELAXED);
	t_event(&g.t, 1, VTB_E_UNLOCK, g.m, 11);
	t_atomic(&g.t, 2, VTB_E_ATOMIC_LOAD, g.x, 20, VTB_ORDER_RELAXED);
	nothing(&g);
	begin(&g, 3);
	with(&g, 1, g.m, VTB_E_WRITE, 10);
	t_atomic(&g.t, 2, VTB_E_ATOMIC_LOAD, g.x, 20, VTB_ORDER_RELAXED);
	nothing(&g); /* a race, but whoever reads so has thought of it */
}

/* As compilers do it: the guard's byte is loaded with acquire, and only if it is 0 the initialiser is entered. The load
 * has another variable than the guard. */
static void who_finds_a_static_initialised_comes_after_its_initialiser(void **state)
{
	struct given g;
	uint32_t guard, byte;

	(void)state;
	begin(&g, 4);
	guard = t_object(&g.t, VTB_OBJ_SYNC, "guard", 0, VTB_NONE);
	byte = t_int(&g.t, "guard");
	t_atomic(&g.t, 1, VTB_E_ATOMIC_LOAD, byte, 1, VTB_ORDER_ACQUIRE);
	t_event(&g.t, 1, VTB_E_ONCE_BEGIN, guard, 2)->addr = T_BASE + 64u * byte;
	t_event(&g.t, 1, VTB_E_WRITE, g.x, 3);
	t_event(&g.t, 1, VTB_E_ONCE_END, guard, 4)->addr = T_BASE + 64u * byte;
	t_atomic(&g.t, 2, VTB_E_ATOMIC_LOAD, byte, 1, VTB_ORDER_ACQUIRE);
	with(&g, 2, g.m, VTB_E_READ, 10);
	look(&g);
	assert_int_equal(g.races.n_races, 0);
	assert_int_equal(g.d.n_unlocked, 0);
	vtb_discipline_fini(&g.d);
	vtb_races_fini(&g.races);
	with(&g, 3, g.other, VTB_E_READ, 20); /* who has not looked, does not */
	look(&g);
	assert_int_equal(g.races.n_races, 1);
	assert_int_equal(g.d.n_unlocked, 1);
	end(&g);
}

/* ---- random traces against the sentence in the header, word by word */

#define THREADS 4u
#define LINES 8u

static uint32_t below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 16) % n;
}

static void random_trace(struct given *g, uint32_t seed)
{
	uint32_t locks[2];

	begin(g, THREADS);
	locks[0] = g->m;
	locks[1] = g->other;
	for (int i = 0; i < 14; i++) {
		const uint32_t thread = 1 + below(&seed, THREADS - 1), held = below(&seed, 4);
		const enum vtb_event_kind kind = below(&seed, 2) ? VTB_E_WRITE : VTB_E_READ;
		const uint32_t line = 1 + below(&seed, LINES);

		for (uint32_t l = 0; l < 2; l++)
			if (held >> l & 1)
				t_event(&g->t, thread, VTB_E_LOCK, locks[l], 100);
		t_event(&g->t, thread, kind, g->x, line);
		for (uint32_t l = 0; l < 2; l++)
			if (held >> l & 1)
				t_event(&g->t, thread, VTB_E_UNLOCK, locks[l], 101);
	}
}

static bool holds(const struct given *g, size_t event, uint32_t lock)
{
	bool held = false;

	for (size_t i = 0; i < event; i++)
		if (g->t.events[i].thread == g->t.events[event].thread && g->t.events[i].var == lock)
			held = g->t.events[i].kind == VTB_E_LOCK;
	return held;
}

/* Lines with the lock: of all accesses; without: of the examples of races. */
static bool is_the_lock(const struct given *g, uint32_t lock)
{
	bool with_it[LINES + 1] = { 0 }, without[LINES + 1] = { 0 };
	int n = 0, m = 0;

	for (size_t i = 0; i < g->t.n_events; i++)
		if (g->t.events[i].var == g->x && holds(g, i, lock))
			with_it[line_of(g, i)] = true;
	for (size_t i = 0; i < g->races.n_races; i++)
		for (int side = 0; side < 2; side++)
			if (!holds(g, g->races.races[i].events[side], lock))
				without[line_of(g, g->races.races[i].events[side])] = true;
	for (uint32_t line = 0; line <= LINES; line++) {
		n += with_it[line];
		m += without[line];
	}
	return n && n >= m;
}

/* Is there a lock of the variable that one side of the race holds and the other does not? */
static bool breaks(const struct given *g, const struct vtb_race *race)
{
	const uint32_t locks[2] = { g->m, g->other };

	for (int l = 0; l < 2; l++)
		if (holds(g, race->events[0], locks[l]) != holds(g, race->events[1], locks[l]) &&
		    is_the_lock(g, locks[l]))
			return true;
	return false;
}

static bool is_told(const struct given *g, const struct vtb_race *race)
{
	for (size_t i = 0; i < g->d.n_unlocked; i++)
		for (int side = 0; side < 2; side++)
			if (line_of(g, g->d.unlocked[i].event) == line_of(g, race->events[side]))
				return true;
	return false;
}

static void brute_force_names_the_same(void **state)
{
	struct given g;
	size_t told = 0, races = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 3000; seed++) {
		random_trace(&g, seed);
		look(&g);
		for (size_t i = 0; i < g.races.n_races; i++)
			if (breaks(&g, &g.races.races[i]))
				assert_true(is_told(&g, &g.races.races[i]));
		for (size_t i = 0; i < g.d.n_unlocked; i++) {
			const struct vtb_unlocked *u = &g.d.unlocked[i];

			assert_true(is_the_lock(&g, u->lock));
			assert_false(holds(&g, u->event, u->lock));
			assert_true(holds(&g, u->other, u->lock));
		}
		races += g.races.n_races;
		told += g.d.n_unlocked;
		end(&g);
	}
	assert_true(told > 1000 && races > 2 * told); /* both kinds are among them */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_without_the_lock_of_the_writers_is_named),
		cmocka_unit_test(each_line_without_the_lock_is_named_once),
		cmocka_unit_test(another_lock_is_not_the_lock),
		cmocka_unit_test(a_write_under_a_lock_held_for_reading_is_named),
		cmocka_unit_test(what_is_mostly_without_a_lock_has_none),
		cmocka_unit_test(before_threads_start_and_after_they_end_nobody_needs_it),
		cmocka_unit_test(what_is_handed_over_under_a_lock_needs_none),
		cmocka_unit_test(a_lock_that_changes_with_a_phase_is_no_violation),
		cmocka_unit_test(what_is_only_read_and_atomic_accesses_are_no_violation),
		cmocka_unit_test(who_finds_a_static_initialised_comes_after_its_initialiser),
		cmocka_unit_test(brute_force_names_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
