/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every interleaving of a small program, and the classes that they make: what the search is compared with. */
#include <stdlib.h>
#include <string.h>

#include "mini.h"
#include "vtb/rng.h"

/* ---- worlds */

enum life { UNBORN, BORN, RUNS, GONE };

struct world {
	int vars[MINI_OBJECTS];
	int owner[MINI_OBJECTS], depth[MINI_OBJECTS]; /* mutexes; owner -1: free */
	int writer[MINI_OBJECTS], readers[MINI_OBJECTS];
	int sems[MINI_OBJECTS];
	int arrived[MINI_OBJECTS], round[MINI_OBJECTS];
	enum life life[MINI_THREADS];
	int pc[MINI_THREADS];
	int regs[MINI_THREADS][MINI_REGS];
	bool second[MINI_THREADS]; /* between the two operations of a wait or a barrier */
	bool woken[MINI_THREADS], late[MINI_THREADS];
	int ticket[MINI_THREADS], round_of[MINI_THREADS];
	int tickets;
};

struct search {
	const struct mini *p;
	bool merge;
	uint64_t left;
	struct mini_set seen;
	struct mini_step steps[MINI_STEPS];
	uint32_t index[MINI_STEPS];
	struct mini_brute *ret;
};

static const struct mini_instr *at(const struct mini *p, const struct world *w, int t)
{
	return w->life[t] == RUNS && w->pc[t] < p->threads[t].n ? &p->threads[t].code[w->pc[t]] : NULL;
}

static bool relocks(const struct world *w, int t, const struct mini_instr *in)
{
	return w->owner[in->obj] == t;
}

static bool can(const struct mini *p, const struct world *w, int t)
{
	const struct mini_instr *in = at(p, w, t);

	if (w->life[t] == UNBORN || w->life[t] == GONE)
		return false;
	if (!in)
		return true;
	switch (in->code) {
	case M_LOCK:
		return w->owner[in->obj] < 0 || (relocks(w, t, in) && p->mutexes[in->obj] != MINI_NORMAL);
	case M_RDLOCK:
		return w->writer[in->obj] < 0;
	case M_WRLOCK:
		return w->writer[in->obj] < 0 && !w->readers[in->obj];
	case M_WAIT:
	case M_TIMEDWAIT:
		return !w->second[t] || ((w->woken[t] || w->late[t]) && w->owner[in->k2] < 0);
	case M_SEM_WAIT:
		return w->sems[in->obj] > 0;
	case M_BARRIER:
		return !w->second[t] || w->round[in->obj] != w->round_of[t];
	case M_JOIN:
		return w->life[in->obj] == GONE;
	default:
		return true;
	}
}

static void give(struct world *w, int t, int mutex)
{
	if (w->owner[mutex] == t && --w->depth[mutex] == 0)
		w->owner[mutex] = -1;
}

static void take(struct world *w, int t, int mutex)
{
	w->owner[mutex] = t;
	w->depth[mutex]++;
}

static int first_waiter(const struct mini *p, const struct world *w, int cond)
{
	int first = -1;

	for (int t = 0; t < p->n_threads; t++) {
		const struct mini_instr *in = at(p, w, t);

		if (in && (in->code == M_WAIT || in->code == M_TIMEDWAIT) && in->obj == cond && w->second[t] &&
		    !w->woken[t] && (first < 0 || w->ticket[t] < w->ticket[first]))
			first = t;
	}
	return first;
}

static void wake(const struct mini *p, struct world *w, int cond, bool all)
{
	int t;

	do {
		t = first_waiter(p, w, cond);
		if (t >= 0)
			w->woken[t] = true;
	} while (all && t >= 0);
}

/* A wait, first or second half. */
static uint32_t wait_step(struct world *w, int t, const struct mini_instr *in)
{
	if (!w->second[t]) {
		give(w, t, in->k2);
		w->second[t] = true;
		w->woken[t] = w->late[t] = false;
		w->ticket[t] = w->tickets++;
		return VTB_E_COND_WAIT;
	}
	take(w, t, in->k2);
	if (in->code == M_TIMEDWAIT)
		w->regs[t][in->reg] = !w->woken[t];
	w->second[t] = w->woken[t] = w->late[t] = false;
	w->pc[t]++;
	return VTB_E_COND_WAKE;
}

static uint32_t barrier_step(const struct mini *p, struct world *w, int t, const struct mini_instr *in)
{
	if (w->second[t]) {
		w->second[t] = false;
		w->pc[t]++;
		return VTB_E_BARRIER_LEAVE;
	}
	w->second[t] = true;
	w->round_of[t] = w->round[in->obj];
	if (++w->arrived[in->obj] == p->barriers[in->obj]) {
		w->arrived[in->obj] = 0;
		w->round[in->obj]++;
	}
	return VTB_E_BARRIER_ARRIVE;
}

/* One that takes place at once; its kind. */
static uint32_t simple_step(const struct mini *p, struct world *w, int t, const struct mini_instr *in)
{
	int *reg = &w->regs[t][in->reg], *var = &w->vars[in->obj];

	w->pc[t]++;
	switch (in->code) {
	case M_READ:
		*reg = *var;
		return VTB_E_READ;
	case M_LOAD:
		*reg = *var;
		return VTB_E_ATOMIC_LOAD;
	case M_WRITE:
		*var = in->k;
		return VTB_E_WRITE;
	case M_STORE:
		*var = in->k;
		return VTB_E_ATOMIC_STORE;
	case M_EXCHANGE:
		*reg = *var;
		*var = in->k;
		return VTB_E_ATOMIC_RMW;
	case M_ADD:
		*reg = *var;
		*var += in->k;
		return VTB_E_ATOMIC_RMW;
	case M_CAS:
		*reg = *var == in->k;
		if (*reg)
			*var = in->k2;
		return *reg ? VTB_E_ATOMIC_RMW : VTB_E_ATOMIC_CAS_FAIL;
	case M_LOCK:
		*reg = relocks(w, t, in) && p->mutexes[in->obj] == MINI_ERRORCHECK;
		if (!*reg)
			take(w, t, in->obj);
		return VTB_E_LOCK;
	case M_TRYLOCK:
		*reg = w->owner[in->obj] >= 0 && !(relocks(w, t, in) && p->mutexes[in->obj] == MINI_RECURSIVE);
		if (!*reg)
			take(w, t, in->obj);
		return VTB_E_TRYLOCK;
	case M_UNLOCK:
		give(w, t, in->obj);
		return VTB_E_UNLOCK;
	case M_RDLOCK:
		w->readers[in->obj]++;
		return VTB_E_RDLOCK;
	case M_WRLOCK:
		w->writer[in->obj] = t;
		return VTB_E_WRLOCK;
	case M_TRYRDLOCK:
		*reg = w->writer[in->obj] >= 0;
		w->readers[in->obj] += !*reg;
		return VTB_E_TRYRDLOCK;
	case M_TRYWRLOCK:
		*reg = w->writer[in->obj] >= 0 || w->readers[in->obj];
		if (!*reg)
			w->writer[in->obj] = t;
		return VTB_E_TRYWRLOCK;
	case M_RWUNLOCK:
		if (w->writer[in->obj] == t)
			w->writer[in->obj] = -1;
		else
			w->readers[in->obj]--;
		return VTB_E_RWUNLOCK;
	case M_SIGNAL:
		wake(p, w, in->obj, false);
		return VTB_E_COND_SIGNAL;
	case M_BROADCAST:
		wake(p, w, in->obj, true);
		return VTB_E_COND_BROADCAST;
	case M_SEM_WAIT:
		w->sems[in->obj]--;
		return VTB_E_SEM_WAIT;
	case M_SEM_TRYWAIT:
		*reg = w->sems[in->obj] == 0;
		w->sems[in->obj] -= !*reg;
		return VTB_E_SEM_TRYWAIT;
	case M_SEM_POST:
		w->sems[in->obj]++;
		return VTB_E_SEM_POST;
	case M_CREATE:
		w->life[in->obj] = BORN;
		return VTB_E_THREAD_CREATE;
	default:
		return VTB_E_THREAD_JOIN;
	}
}

/* Deadlines that are over are no operations: two beginnings of one class may differ in them. */
static uint64_t merged_as(const struct mini *p, const struct world *w, const struct mini_sums *sums)
{
	uint64_t key = sums->order;

	for (int t = 0; t < p->n_threads; t++)
		key += w->late[t] ? vtb_mix64(77u + (uint64_t)t) : 0;
	return key;
}

/* The next operation of t takes place. */
static struct mini_step act(const struct mini *p, struct world *w, int t)
{
	const struct mini_instr *in = at(p, w, t);
	struct mini_step s = { .thread = (uint32_t)t, .object = mini_object(MINI_THREAD, t), .mutex = VTB_NONE };

	if (w->life[t] == BORN) {
		w->life[t] = RUNS;
		s.kind = VTB_E_THREAD_BEGIN;
	} else if (!in) {
		w->life[t] = GONE;
		s.kind = t ? VTB_E_THREAD_END : VTB_E_PROCESS_EXIT;
	} else {
		s.object = mini_object(mini_sort_of(in->code), in->obj);
		if (in->code == M_WAIT || in->code == M_TIMEDWAIT) {
			s.mutex = mini_object(MINI_MUTEX, in->k2);
			s.kind = wait_step(w, t, in);
		} else {
			s.kind = in->code == M_BARRIER ? barrier_step(p, w, t, in) : simple_step(p, w, t, in);
		}
	}
	return s;
}

/* Through what is invisible; false: an assertion does not hold. */
static bool settle(const struct mini *p, struct world *w, int t)
{
	const struct mini_instr *in;

	while ((in = at(p, w, t)) && in->code >= M_IF) {
		if (in->code != M_ASSERT)
			w->pc[t] += (w->regs[t][in->reg] == in->k) == (in->code == M_UNLESS) ? in->k2 : 0;
		else if (w->regs[t][in->reg] == in->k)
			return false;
		w->pc[t]++;
	}
	return true;
}

/* ---- every interleaving */

static void record(struct search *s, const struct mini_sums *sums)
{
	s->ret->runs++;
	mini_set_add(&s->ret->order, sums->order);
	mini_set_add(&s->ret->reads_from, sums->reads_from);
}

static void explore(struct search *s, const struct world *w, size_t n, struct mini_sums sums);

static void go(struct search *s, const struct world *w, int t, size_t n, struct mini_sums sums)
{
	struct world next = *w;
	bool holds;

	if (!s->left-- || n == MINI_STEPS) {
		s->ret->cut = true;
		s->left = 0;
		return;
	}
	s->steps[n] = act(s->p, &next, t);
	s->index[n] = 0;
	for (size_t i = 0; i < n; i++)
		s->index[n] += s->steps[i].thread == (uint32_t)t;
	mini_classes_add(&sums, s->steps, s->index, n);
	holds = settle(s->p, &next, t);
	if (!holds || next.life[0] == GONE)
		record(s, &sums);
	else if (!s->merge || mini_set_add(&s->seen, merged_as(s->p, &next, &sums)))
		explore(s, &next, n + 1, sums);
}

/* Nobody can go on: the least deadline passes. False: there is none. */
static bool pass_time(struct search *s, struct world *w)
{
	int first = -1;

	for (int t = 0; t < s->p->n_threads; t++) {
		const struct mini_instr *in = at(s->p, w, t);

		if (in && in->code == M_TIMEDWAIT && w->second[t] && !w->woken[t] && !w->late[t] &&
		    (first < 0 || in->k < at(s->p, w, first)->k))
			first = t;
	}
	if (first >= 0)
		w->late[first] = s->ret->timed = true;
	return first >= 0;
}

static bool anybody(const struct mini *p, const struct world *w)
{
	for (int t = 0; t < p->n_threads; t++)
		if (can(p, w, t))
			return true;
	return false;
}

static void explore(struct search *s, const struct world *w, size_t n, struct mini_sums sums)
{
	struct world now = *w;

	while (!anybody(s->p, &now))
		if (!pass_time(s, &now)) {
			record(s, &sums);
			return;
		}
	for (int t = 0; t < s->p->n_threads && !s->ret->cut; t++)
		if (can(s->p, &now, t))
			go(s, &now, t, n, sums);
}

void mini_brute_fini(struct mini_brute *b)
{
	mini_set_fini(&b->order);
	mini_set_fini(&b->reads_from);
}

void mini_brute(const struct mini *p, bool merge, uint64_t max_steps, struct mini_brute *ret)
{
	static struct search s;
	struct world w = { .tickets = 0 };

	*ret = (struct mini_brute){ 0 };
	s.p = p;
	s.merge = merge;
	s.left = max_steps;
	s.ret = ret;
	for (int i = 0; i < MINI_OBJECTS; i++) {
		w.owner[i] = w.writer[i] = -1;
		w.sems[i] = p->sems[i];
	}
	w.life[0] = RUNS;
	if (settle(p, &w, 0))
		explore(&s, &w, 0, (struct mini_sums){ 0, 0 });
	mini_set_fini(&s.seen);
}
