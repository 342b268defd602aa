/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile of random traces against its definition, access by access: a lock counts for a variable if it was held at
 * every access that creation and join leave free to meet another thread's. And fed in pieces it is what it is at once.
 */
#include "make_trace.h"

#include "vtb/profile.h"
#include "vtb/syncorder.h"

#define THREADS 5u
#define VARS 4u
#define LOCKS 3u
#define EVENTS 120u

struct world {
	struct vtb_trace t;
	uint32_t vars[VARS], locks[LOCKS], handles[THREADS];
	bool born[THREADS], begun[THREADS], ended[THREADS], joined[THREADS];
	uint32_t held[EVENTS * 2]; /* by event: bit l: its thread holds lock l */
	uint32_t now[THREADS];
};

static uint32_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void add(struct world *w, uint32_t thread, enum vtb_event_kind kind, uint32_t var)
{
	struct vtb_event *e = t_event(&w->t, thread, kind, var, 1 + below(9));

	w->held[w->t.n_events - 1] = w->now[thread];
	if (vtb_event_info(e->kind)->family == VTB_FAMILY_ATOMIC) {
		e->order = VTB_ORDER_SEQ_CST;
		vtb_event_classify(e);
	}
}

static void step_of_main(struct world *w)
{
	const uint32_t child = 1 + below(THREADS - 1);

	if (!w->born[child]) {
		add(w, 0, VTB_E_THREAD_CREATE, w->handles[child]);
		w->born[child] = true;
	} else if (w->ended[child] && !w->joined[child]) {
		add(w, 0, VTB_E_THREAD_JOIN, w->handles[child]);
		w->joined[child] = true;
	}
}

static void step(struct world *w, uint32_t thread)
{
	static const enum vtb_event_kind kinds[] = { VTB_E_READ, VTB_E_READ, VTB_E_WRITE, VTB_E_ATOMIC_LOAD,
		                                     VTB_E_ATOMIC_RMW };
	const uint32_t lock = below(LOCKS);

	if (!w->begun[thread]) {
		w->begun[thread] = true;
		add(w, thread, VTB_E_THREAD_BEGIN, w->handles[thread]);
		return;
	}
	switch (below(8)) {
	case 0:
		if (thread == 0)
			step_of_main(w);
		else if (!below(4) && !w->now[thread]) {
			add(w, thread, VTB_E_THREAD_END, w->handles[thread]);
			w->ended[thread] = true;
		}
		break;
	case 1:
	case 2:
		w->now[thread] ^= 1u << lock;
		add(w, thread, w->now[thread] >> lock & 1 ? VTB_E_LOCK : VTB_E_UNLOCK, w->locks[lock]);
		break;
	default:
		add(w, thread, kinds[below(5)], w->vars[below(VARS)]);
		break;
	}
}

static void make(struct world *w, uint32_t number)
{
	memset(w, 0, sizeof(*w));
	seed = number * 2654435761u + 1;
	t_begin(&w->t, THREADS);
	for (uint32_t i = 0; i < VARS; i++)
		w->vars[i] = t_int(&w->t, "x");
	for (uint32_t i = 0; i < LOCKS; i++)
		w->locks[i] = t_lock(&w->t, "l");
	for (uint32_t i = 0; i < THREADS; i++)
		w->handles[i] = t_thread(&w->t, i);
	w->born[0] = w->begun[0] = true;
	while (w->t.n_events < EVENTS) {
		const uint32_t thread = below(THREADS);

		if (w->born[thread] && !w->ended[thread])
			step(w, thread);
	}
}

/* ---- the definition */

static bool is_access(const struct world *w, size_t i, uint32_t var)
{
	const enum vtb_family family = vtb_event_info(w->t.events[i].kind)->family;

	return w->t.events[i].var == var && (family == VTB_FAMILY_MEMORY || family == VTB_FAMILY_ATOMIC);
}

/* Is there a thread whose accesses neither all begin after this one nor all end before it? */
static bool meets(const struct world *w, const struct vtb_orderindex *order, size_t i, uint32_t var)
{
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		size_t first = SIZE_MAX, last = 0;

		for (size_t k = 0; k < w->t.n_events; k++)
			if (w->t.events[k].thread == thread && is_access(w, k, var)) {
				first = first == SIZE_MAX ? k : first;
				last = k;
			}
		if (first == SIZE_MAX || thread == w->t.events[i].thread)
			continue;
		if (vtb_orderindex_compare(order, i, first) != VTB_BEFORE &&
		    vtb_orderindex_compare(order, i, last) != VTB_AFTER)
			return true;
	}
	return false;
}

static uint32_t locks_of(const struct world *w, const struct vtb_idset *set)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < set->n; i++)
		for (uint32_t l = 0; l < LOCKS; l++)
			bits |= (uint32_t)(set->ids[i] == w->locks[l]) << l;
	return bits;
}

static void check_variable(const struct world *w, const struct vtb_orderindex *order, const struct vtb_profile *p,
                           uint32_t var)
{
	const struct vtb_profile_var *v = vtb_profile_find(p, var);
	uint32_t locks[2] = { 0, 0 }, threads = 0;
	bool any[2] = { false, false };
	uint64_t n[2] = { 0, 0 };

	for (size_t i = 0; i < w->t.n_events; i++) {
		const uint32_t flags = vtb_event_info(w->t.events[i].kind)->flags;

		for (uint32_t write = 0; is_access(w, i, var) && write < 2; write++) {
			threads |= 1u << w->t.events[i].thread;
			if (!(flags & (write ? VTB_EV_WRITES : VTB_EV_READS)))
				continue;
			n[write]++;
			if (!meets(w, order, i, var))
				continue;
			locks[write] = any[write] ? locks[write] & w->held[i] : w->held[i];
			any[write] = true;
		}
	}
	assert_true(!!v == !!threads);
	if (!v)
		return;
	assert_int_equal(v->reads, n[0]);
	assert_int_equal(v->writes, n[1]);
	assert_int_equal(v->threads.n, __builtin_popcount(threads));
	assert_int_equal(v->contended, any[1]);
	assert_int_equal(locks_of(w, &v->read_locks), locks[0]);
	assert_int_equal(locks_of(w, &v->write_locks), locks[1]);
}

/* Accesses that could meet nobody, of variables that others touch: else the test would not tell whether they are left
 * out. */
static uint32_t count_apart(const struct world *w, const struct vtb_orderindex *order)
{
	uint32_t n = 0;

	for (size_t i = 0; i < w->t.n_events; i++)
		for (uint32_t k = 0; k < VARS; k++)
			n += is_access(w, i, w->vars[k]) && !meets(w, order, i, w->vars[k]);
	return n;
}

static void each_row_is_what_its_definition_says(void **state)
{
	uint32_t contended = 0, locked = 0, apart = 0;

	(void)state;
	for (uint32_t number = 0; number < 400; number++) {
		static struct world w;
		struct vtb_orderindex *order;
		struct vtb_profile p;

		make(&w, number);
		assert_int_equal(vtb_profile_of(&w.t, &p), 0);
		assert_int_equal(vtb_orderindex_new(&w.t, VTB_SYNCORDER_THREADS_ONLY, &order), 0);
		apart += count_apart(&w, order);
		for (uint32_t i = 0; i < VARS; i++)
			check_variable(&w, order, &p, w.vars[i]);
		for (size_t i = 0; i < p.n_vars; i++) {
			contended += p.vars[i].contended;
			locked += p.vars[i].read_locks.n + p.vars[i].write_locks.n > 0;
		}
		vtb_orderindex_free(order);
		vtb_profile_fini(&p);
		vtb_trace_fini(&w.t);
	}
	assert_true(contended > 400 && locked > 20 && apart > 1000); /* the traces show something */
}

static void rows_are_equal(const struct vtb_profile_var *a, const struct vtb_profile_var *b)
{
	assert_int_equal(a->var, b->var);
	assert_int_equal(a->reads, b->reads);
	assert_int_equal(a->writes, b->writes);
	assert_int_equal(a->first_site, b->first_site);
	assert_int_equal(a->last_site, b->last_site);
	assert_int_equal(a->contended, b->contended);
	assert_int_equal(a->read_locks.n, b->read_locks.n);
	assert_int_equal(a->write_locks.n, b->write_locks.n);
}

static void pieces_give_what_the_whole_gives(void **state)
{
	static struct world w;
	struct vtb_profile whole, pieces;
	struct vtb_profiler *p;

	(void)state;
	make(&w, 7);
	assert_int_equal(vtb_profile_of(&w.t, &whole), 0);
	assert_int_equal(vtb_profiler_new(&w.t.tab, &p), 0);
	for (size_t at = 0, n; at < w.t.n_events; at += n) {
		n = 1 + below(9);
		n = n < w.t.n_events - at ? n : w.t.n_events - at;
		assert_int_equal(vtb_profiler_feed(p, w.t.events + at, n), 0);
	}
	assert_int_equal(vtb_profiler_end(p, &pieces), 0);
	vtb_profiler_free(p);
	assert_int_equal(whole.n_vars, pieces.n_vars);
	assert_int_equal(whole.accesses, pieces.accesses);
	for (size_t i = 0; i < whole.n_vars; i++)
		rows_are_equal(&whole.vars[i], &pieces.vars[i]);
	vtb_profile_fini(&whole);
	vtb_profile_fini(&pieces);
	vtb_trace_fini(&w.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_what_its_definition_says),
		cmocka_unit_test(pieces_give_what_the_whole_gives),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
