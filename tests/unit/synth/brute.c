/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every interleaving of an abstract program, by recursion over copied states. Shares nothing with machine.c and the
 * synchronisation model but the program itself: this is what they are compared with.
 */
#include <string.h>

#include "prog.h"

struct world {
	int vars[PROG_VARS];
	int owner[PROG_LOCKS]; /* -1 free */
	int pc[PROG_THREADS];  /* -2 unborn, -1 about to begin, n about to end, n + 1 gone */
	int regs[PROG_THREADS][PROG_REGS];
	int waits[PROG_THREADS]; /* 0 no, 1 in the queue, 2 woken */
	int ticket[PROG_THREADS];
	int tickets;
	bool late[PROG_THREADS]; /* its deadline is over */
	int lost[PROG_CONDS];    /* signals that woke nobody */
	int last;                /* thread that did the last operation, -1 */
	unsigned last_enabled;   /* threads that were enabled when it was chosen */
	int last_charge;         /* what a preemption after it is charged to */
	int c;
	unsigned charged;
};

struct search {
	const struct prog *p;
	int max_c;
	uint64_t max_runs;
	bool states;
	struct brute *ret;
};

static const struct prog_instr *at(const struct prog *p, const struct world *w, int t)
{
	return &p->threads[t].code[w->pc[t]];
}

static bool can(const struct prog *p, const struct world *w, int t)
{
	const struct prog_instr *in;

	if (w->pc[t] == -2 || w->pc[t] > p->threads[t].n)
		return false;
	if (w->pc[t] == -1 || w->pc[t] == p->threads[t].n)
		return true;
	in = at(p, w, t);
	if (in->code == P_LOCK)
		return w->owner[in->obj] == -1 || w->owner[in->obj] == t;
	if ((in->code == P_WAIT || in->code == P_TIMEDWAIT) && w->waits[t])
		return (w->waits[t] == 2 || w->late[t]) && w->owner[in->lock] == -1;
	if (in->code == P_JOIN)
		return w->pc[in->obj] > p->threads[in->obj].n;
	return true;
}

static int charge_of(const struct prog *p, const struct world *w, int t)
{
	const int locks = PROG_VARS, conds = locks + PROG_LOCKS, threads = conds + PROG_CONDS;
	const struct prog_instr *in;

	if (w->pc[t] < 0 || w->pc[t] >= p->threads[t].n)
		return threads + t;
	in = at(p, w, t);
	switch (in->code) {
	case P_READ:
	case P_WRITE:
	case P_STORE:
	case P_CAS:
		return in->obj;
	case P_LOCK:
	case P_TRYLOCK:
	case P_UNLOCK:
		return locks + in->obj;
	case P_WAIT:
	case P_TIMEDWAIT:
	case P_SIGNAL:
	case P_BROADCAST:
		return conds + in->obj;
	default:
		return threads + in->obj;
	}
}

/* `place`: the first so many are passed over. */
static void wake(const struct prog *p, struct world *w, int cond, bool all, int place)
{
	bool any = false;

	for (;;) {
		int first = -1, after = -1;

		do {
			first = -1;
			for (int t = 0; t < p->n_threads; t++)
				if (w->waits[t] == 1 && at(p, w, t)->obj == cond && w->ticket[t] > after &&
				    (first < 0 || w->ticket[t] < w->ticket[first]))
					first = t;
			after = first < 0 ? after : w->ticket[first];
		} while (first >= 0 && place-- > 0);
		place = 0;
		if (first < 0) {
			w->lost[cond] += !any;
			return;
		}
		any = true;
		w->waits[first] = 2;
		if (!all)
			return;
	}
}

/* Locks may be taken again by their owner; the generator's two-lock piece never takes one twice unless n_locks is 1. */
static void act(const struct prog *p, struct world *w, int t, int place, bool fails)
{
	const struct prog_instr *in = at(p, w, t);

	switch (in->code) {
	case P_READ:
		w->regs[t][in->reg] = w->vars[in->obj];
		break;
	case P_WRITE:
		w->vars[in->obj] = in->k;
		break;
	case P_STORE:
		w->vars[in->obj] = w->regs[t][in->reg] + in->k;
		break;
	case P_LOCK:
		w->owner[in->obj] = t;
		break;
	case P_TRYLOCK:
		w->regs[t][in->reg] = w->owner[in->obj] != -1 && w->owner[in->obj] != t;
		if (!w->regs[t][in->reg])
			w->owner[in->obj] = t;
		break;
	case P_UNLOCK:
		if (w->owner[in->obj] == t)
			w->owner[in->obj] = -1;
		break;
	case P_CAS:
		w->regs[t][in->reg] = w->vars[in->obj] == in->k && !fails;
		if (w->regs[t][in->reg])
			w->vars[in->obj] = in->k + 1;
		break;
	case P_WAIT:
	case P_TIMEDWAIT:
		if (!w->waits[t]) {
			if (w->owner[in->lock] == t)
				w->owner[in->lock] = -1;
			w->waits[t] = 1;
			w->late[t] = false;
			w->ticket[t] = w->tickets++;
			return; /* the second half is still to come */
		}
		w->owner[in->lock] = t;
		if (in->code == P_TIMEDWAIT)
			w->regs[t][in->reg] = w->waits[t] != 2;
		w->waits[t] = 0;
		w->late[t] = false;
		break;
	case P_SIGNAL:
	case P_BROADCAST:
		wake(p, w, in->obj, in->code == P_BROADCAST, place);
		break;
	case P_CREATE:
		w->pc[in->obj] = -1;
		break;
	default:
		break;
	}
	w->pc[t]++;
}

/* Through invisible instructions; false if an assertion fails. */
static bool settle(const struct prog *p, struct world *w, int t)
{
	while (w->pc[t] >= 0 && w->pc[t] < p->threads[t].n && !prog_visible(at(p, w, t)->code)) {
		const struct prog_instr *in = at(p, w, t);

		if (in->code == P_SKIP)
			w->pc[t] += w->regs[t][in->reg] != in->k ? in->n : 0;
		else if (!prog_holds(in, w->regs[t]))
			return false;
		w->pc[t]++;
	}
	return true;
}

static void record(const struct search *s, const struct world *w, enum vtb_verdict verdict, int thread, int instr)
{
	struct brute *b = s->ret;
	const uint64_t id = prog_outcome(verdict, prog_routine(s->p, thread), instr, w->vars, s->p->n_vars);
	const int v = __builtin_popcount(w->charged);
	int i;

	b->runs++;
	if (w->c < BRUTE_C)
		b->runs_at[w->c][v]++;
	for (i = 0; i < b->n_outcomes; i++)
		if (b->outcomes[i].id == id)
			break;
	if (i == BRUTE_OUTCOMES) {
		b->cut = true;
		return;
	}
	if (i == b->n_outcomes)
		b->outcomes[b->n_outcomes++] = (struct brute_outcome){ id, verdict, w->c, v };
	if (w->c < b->outcomes[i].c || (w->c == b->outcomes[i].c && v < b->outcomes[i].v)) {
		b->outcomes[i].c = w->c;
		b->outcomes[i].v = v;
	}
}

/* ---- states: worlds without their history, in a list */

#define STATES_MAX 60000
#define BUCKETS 4096

static struct seen_state {
	struct world w;
	int next;
} seen[STATES_MAX];
static int n_seen, heads[BUCKETS];

/* What decides the rest: not how it came about. Who waits longest, not since when. Registers of threads that are gone
 * are nobody's. */
static struct world bare(const struct prog *p, const struct world *w)
{
	struct world b;

	memset(&b, 0, sizeof(b));
	memcpy(b.vars, w->vars, sizeof(b.vars));
	memcpy(b.owner, w->owner, sizeof(b.owner));
	memcpy(b.pc, w->pc, sizeof(b.pc));
	memcpy(b.waits, w->waits, sizeof(b.waits));
	memcpy(b.lost, w->lost, sizeof(b.lost));
	memcpy(b.late, w->late, sizeof(b.late));
	for (int t = 0; t < p->n_threads; t++) {
		if (w->pc[t] <= p->threads[t].n)
			memcpy(b.regs[t], w->regs[t], sizeof(b.regs[t]));
		for (int u = 0; w->waits[t] && u < p->n_threads; u++)
			b.ticket[t] +=
			    w->waits[u] && at(p, w, u)->obj == at(p, w, t)->obj && w->ticket[u] < w->ticket[t];
	}
	return b;
}

static bool is_new(const struct prog *p, const struct world *w)
{
	const struct world b = bare(p, w);
	unsigned h = 0;
	int *head;

	for (size_t i = 0; i < sizeof(b); i++)
		h = h * 31 + ((const unsigned char *)&b)[i];
	head = &heads[h % BUCKETS];
	for (int i = *head; i; i = seen[i].next)
		if (memcmp(&seen[i].w, &b, sizeof(b)) == 0)
			return false;
	if (n_seen + 1 == STATES_MAX)
		return true;
	seen[++n_seen].w = b;
	seen[n_seen].next = *head;
	*head = n_seen;
	return true;
}

static void explore(const struct search *s, const struct world *w);

#define CLOCK_CHARGE (PROG_VARS + PROG_LOCKS + PROG_CONDS + PROG_THREADS)

/* t goes on: whether by a switch that costs is the caller's matter. */
static void go(const struct search *s, struct world *next, int t, unsigned enabled, int place, bool fails)
{
	const struct prog *p = s->p;

	if (next->c > s->max_c)
		return;
	next->last_charge = charge_of(p, next, t);
	next->last = t;
	next->last_enabled = enabled;
	if (next->pc[t] == -1 || next->pc[t] == p->threads[t].n)
		next->pc[t]++;
	else
		act(p, next, t, place, fails);
	if (t == 0 && next->pc[0] > p->threads[0].n) {
		record(s, next, VTB_V_NONE, -1, -1);
		return;
	}
	if (!settle(p, next, t)) {
		record(s, next, VTB_V_ASSERTION, t, next->pc[t]);
		return;
	}
	explore(s, next);
}

static void charge(struct world *w, int to)
{
	w->c++;
	w->charged |= 1u << to;
}

/* How many could be woken by the signal that t is at. */
static int waiters(const struct search *s, const struct world *w, int t)
{
	int n = 0;

	for (int u = 0; u < s->p->n_threads; u++)
		n += w->waits[u] == 1 && at(s->p, w, u)->obj == at(s->p, w, t)->obj;
	return n;
}

/* t goes on in every way there is: the switch is paid by now. */
static int go_every_way(const struct search *s, const struct world *w, int t, unsigned enabled, bool count_only)
{
	const bool acts = w->pc[t] >= 0 && w->pc[t] < s->p->threads[t].n;
	const struct prog_instr *in = acts ? at(s->p, w, t) : NULL;
	struct world next = *w;
	int ways = 1;

	if (!count_only)
		go(s, &next, t, enabled, 0, false);
	for (int place = 1; in && in->code == P_SIGNAL && s->p->kinds >> VTB_DEV_WAITER & 1 && place < waiters(s, w, t);
	     place++, ways++) {
		next = *w;
		charge(&next, charge_of(s->p, w, t));
		if (!count_only)
			go(s, &next, t, enabled, place, false);
	}
	if (in && in->code == P_CAS && s->p->kinds >> VTB_DEV_CAS_FAIL & 1 && w->vars[in->obj] == in->k) {
		next = *w;
		charge(&next, charge_of(s->p, w, t));
		ways++;
		if (!count_only)
			go(s, &next, t, enabled, 0, true);
	}
	return ways;
}

static int choose(const struct search *s, const struct world *w, int t, unsigned enabled, bool count_only)
{
	struct world next = *w;
	const int last = w->last;

	if (last >= 0 && t != last && enabled >> last & 1 && w->last_enabled >> t & 1)
		charge(&next, w->last_charge);
	return go_every_way(s, &next, t, enabled, count_only);
}

/* Time or chance lets t go on, which waits: at once, so its lock must be free. `by_time`: time is about to do so for
 * nothing. */
static int choose_by_chance(const struct search *s, const struct world *w, int t, unsigned enabled, bool by_time,
                            bool count_only)
{
	const struct prog_instr *in = w->waits[t] == 1 && !w->late[t] ? at(s->p, w, t) : NULL;
	struct world next;
	int ways = 0;

	if (!in || w->owner[in->lock] != -1)
		return 0;
	if (s->p->kinds >> VTB_DEV_SPURIOUS & 1) {
		next = *w;
		charge(&next, PROG_VARS + PROG_LOCKS + in->obj);
		next.waits[t] = 2;
		ways++;
		if (!count_only)
			go(s, &next, t, enabled | 1u << t, 0, false);
	}
	if (!by_time && in->code == P_TIMEDWAIT && s->p->kinds >> VTB_DEV_TIMEOUT & 1) {
		next = *w;
		charge(&next, CLOCK_CHARGE);
		next.late[t] = true;
		ways++;
		if (!count_only)
			go(s, &next, t, enabled | 1u << t, 0, false);
	}
	return ways;
}

static unsigned who_can(const struct search *s, const struct world *w)
{
	unsigned enabled = 0;

	for (int t = 0; t < s->p->n_threads; t++)
		enabled |= (unsigned)can(s->p, w, t) << t;
	return enabled;
}

/* Nobody can go on: the least deadline passes. False: there is none. */
static bool pass_time(const struct search *s, struct world *w)
{
	int first = -1;

	for (int t = 0; t < s->p->n_threads; t++)
		if (w->waits[t] == 1 && !w->late[t] && at(s->p, w, t)->code == P_TIMEDWAIT &&
		    (first < 0 || at(s->p, w, t)->k < at(s->p, w, first)->k))
			first = t;
	if (first >= 0)
		w->late[first] = true;
	return first >= 0;
}

/* Nobody can go on, until time has passed; chance comes before. False: a deadlock, or the end of time. */
static bool let_time_pass(const struct search *s, struct world *now)
{
	while (!who_can(s, now))
		if (!pass_time(s, now))
			return false;
	return true;
}

static int every_way(const struct search *s, const struct world *w, unsigned enabled, bool count_only)
{
	struct world now = *w;
	unsigned by_time = 0;
	int ways = 0;

	if (!enabled && let_time_pass(s, &now))
		by_time = who_can(s, &now);
	for (int t = 0; t < s->p->n_threads; t++) {
		if (enabled >> t & 1)
			ways += choose(s, w, t, enabled, count_only);
		else
			ways += choose_by_chance(s, w, t, enabled, by_time >> t & 1, count_only);
	}
	return ways;
}

static int by_time(const struct search *s, const struct world *w, bool count_only)
{
	struct world now = *w;
	unsigned enabled;
	int ways = 0;

	if (!let_time_pass(s, &now)) {
		if (!count_only)
			record(s, &now, VTB_V_DEADLOCK, -1, -1);
		return 1; /* to be stuck is what comes of it if chance does not help */
	}
	enabled = who_can(s, &now);
	for (int t = 0; t < s->p->n_threads; t++)
		if (enabled >> t & 1)
			ways += choose(s, &now, t, enabled, count_only);
	return ways;
}

static void explore(const struct search *s, const struct world *w)
{
	const unsigned enabled = who_can(s, w);
	int ways;

	if (s->ret->cut || s->ret->runs >= s->max_runs) {
		s->ret->cut = true;
		return;
	}
	if (s->states) {
		ways = every_way(s, w, enabled, true);
		if (!enabled)
			ways += by_time(s, w, true);
		if (ways && is_new(s->p, w)) {
			s->ret->states++;
			s->ret->state_edges += (uint64_t)ways;
		}
	}
	if (!enabled)
		by_time(s, w, false);
	every_way(s, w, enabled, false);
}

static void force(const struct prog *p, int max_c, uint64_t max_runs, bool states, struct brute *ret)
{
	struct world w = { .last = -1 };
	const struct search s = { p, max_c, max_runs, states, ret };

	memset(ret, 0, sizeof(*ret));
	if (states)
		memset(heads, 0, sizeof(heads));
	n_seen = 0;
	memcpy(w.vars, p->start, sizeof(w.vars));
	for (int i = 0; i < PROG_LOCKS; i++)
		w.owner[i] = -1;
	for (int t = 1; t < PROG_THREADS; t++)
		w.pc[t] = -2;
	settle(p, &w, 0);
	explore(&s, &w);
}

void brute_force(const struct prog *p, int max_c, uint64_t max_runs, struct brute *ret)
{
	force(p, max_c, max_runs, false, ret);
}

void brute_force_states(const struct prog *p, uint64_t max_runs, struct brute *ret)
{
	force(p, BRUTE_C, max_runs, true, ret);
}
