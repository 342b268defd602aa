/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nested checkpoints: the state in the middle of a run, kept so that schedules which lead there too need not begin at
 * main.
 *
 *     main ─────●───────●──── run 1           a checkpoint is what the run had changed by then: the pages of the dirty
 * set, the events, │       └──── run 2           the outcome so far; and the part of its schedule that was done, by
 * which later ones are └──────────── run 3           recognised
 *
 * Taken at a schedule point before anything is decided there, by policies that decide by the schedule alone, and not
 * after a system call whose effect is outside of memory. Kept as a stack along one run: a schedule goes on from the
 * deepest one that lies on its way, and the deeper ones are dropped then. Strategies that go down first (dfs, dpor,
 * cvt) post schedules in just that order.
 *
 * When they pay (docs/decisions/0066): in runs much longer than a checkpoint costs, at intervals of some times that
 * cost, and as long as they are used.
 */
#include "engines.h"
#include "kept_state.h"
#include "base.h"
#include "scheduler.h"

#define STACK_MAX 24u
#define EVENTS_MAX (4ull << 20) /* bytes of records; a longer prefix is run again */
#define THREADS_MAX 512u
#define HISTORY_MAX (1u << 18) /* turns */
#define LONG_RUN 16u           /* a run is worth it if it takes so many times what a checkpoint costs */
#define INTERVAL 4u            /* times what a checkpoint costs, between two */
#define TRIAL 64u /* checkpoints for which at least one should have been used, or there are none for PAUSE runs */
#define PAUSE 1000u

struct at_thread {
	uint32_t parent, nth, ops;
};

struct checkpoint {
	struct vtb_kept_state state;
	struct vtb_kept_room schedule;
	uint32_t done;    /* deviations */
	uint32_t running; /* slot */
	uint32_t sites;   /* header.sites_now: with other places looked at, operations have other numbers */
	uint32_t n_history;
	uint32_t n_threads;
	struct at_thread threads[THREADS_MAX];
};

/* After `ops` operations of `from`, `to` went on. */
struct turn {
	uint32_t from, ops, to;
};

/* In shared memory. */
static struct checkpoints {
	struct checkpoint stack[STACK_MAX];
	uint32_t n;
	bool on, always;
	uint64_t began;         /* ticks of the processor: of the run, or of what is run of it */
	uint64_t last;          /* likewise: last checkpoint */
	uint64_t point;         /* likewise: the present one */
	uint64_t points, every; /* always: one at every so many points */
	uint64_t interval;
	uint64_t cost;        /* of the last checkpoint */
	uint32_t taken, used; /* since they were last put to the test */
	uint32_t pause;       /* runs to go without */
	const struct checkpoint *resumed;
	uint32_t done; /* deviations of the schedule that was found to lead to it */
	uint32_t slots[2][THREADS_MAX];
	uint32_t
	    n_history; /* of the present run, which is also that of all checkpoints in the stack, as far as they go */
	struct turn history[HISTORY_MAX];
} * C;

void vtb_checkpoints_begin(void)
{
	const uint32_t options = vtb_rt.block->options;

	/* with real time, what waits would wake at the wrong moment in a run that goes on from an old state */
	if (options & (VTB_OPT_NO_CHECKPOINTS | VTB_OPT_REAL_TIME))
		return;
	C = vtb_shared_pages(sizeof(*C));
	if (!C)
		return;
	C->always = options & VTB_OPT_CHECKPOINT_ALWAYS;
	C->every = 1;
	C->cost = 20000; /* until one has been taken */
	C->interval = INTERVAL * C->cost;
}

/* ---- which schedules lead here */

static const struct vtb_wire_deviation *deviations_of(const struct vtb_wire_schedule *s)
{
	return (const void *)((const char *)(s + 1) + ((s->paths * sizeof(struct vtb_wire_path) + 7) & ~7ull) +
	                      ((s->ranks * sizeof(uint32_t) + 7) & ~7ull));
}

static const uint32_t *ranks_of(const struct vtb_wire_schedule *s)
{
	return (const void *)((const char *)(s + 1) + ((s->paths * sizeof(struct vtb_wire_path) + 7) & ~7ull));
}

static bool same(const void *a, const void *b, uint64_t size)
{
	const uint64_t *p = a, *q = b;
	uint64_t i = 0;

	for (; i < size / 8; i++)
		if (p[i] != q[i])
			return false;
	for (i *= 8; i < size; i++)
		if (((const char *)a)[i] != ((const char *)b)[i])
			return false;
	return true;
}

/* Does the policy decide by the schedule alone? Who has touched what (owned.h) is not rolled back, and not kept. */
static bool can_be_kept(const struct vtb_wire_schedule *s)
{
	return (s->policy == VTB_POLICY_RUN_TO_BLOCK || s->policy == VTB_POLICY_PRIORITY) && !s->constraints &&
	       !(s->flags & (VTB_SCHED_WAKES | VTB_SCHED_OWNED));
}

/* Numbers at the checkpoint of the threads that a schedule names, VTB_NO_PATH for those that are not there. False: too
 * many. Ancestors stand before their descendants in a schedule's paths. */
static bool resolve(const struct checkpoint *c, const struct vtb_wire_schedule *s, uint32_t *slots)
{
	const struct vtb_wire_path *paths = (const void *)(s + 1);

	if (s->paths > THREADS_MAX)
		return false;
	for (uint32_t i = 0; i < s->paths; i++) {
		const uint32_t parent = paths[i].parent == VTB_NO_PATH ? VTB_NO_PATH : slots[paths[i].parent];

		slots[i] = paths[i].parent == VTB_NO_PATH ? 0 : VTB_NO_PATH;
		for (uint32_t k = 1; parent != VTB_NO_PATH && k < c->n_threads && slots[i] == VTB_NO_PATH; k++)
			if (c->threads[k].parent == parent && c->threads[k].nth == paths[i].nth)
				slots[i] = k;
	}
	return true;
}

#define AT_OPERATION            \
	(1u << VTB_DEV_WAITER | \
	 1u << VTB_DEV_CAS_FAIL) /* looked for when the operation takes place, not at the point before */
#define OF_NOBODY (AT_OPERATION | 1u << VTB_DEV_DEMOTE) /* their target is not a thread */

/* Has the run left the place of this deviation behind? */
static bool is_past(const struct checkpoint *c, const uint32_t *slots, const struct vtb_wire_deviation *d)
{
	const uint32_t slot = slots[d->after.path];

	if (slot == VTB_NO_PATH || d->after.index > c->threads[slot].ops)
		return false;
	return d->after.index < c->threads[slot].ops || (slot != c->running && !(AT_OPERATION >> d->kind & 1));
}

/* All that is still to happen, from deviation `done` on, lies ahead. */
static bool lies_ahead(const struct checkpoint *c, const struct vtb_wire_schedule *s, const uint32_t *slots,
                       uint32_t done)
{
	const struct vtb_wire_deviation *d = deviations_of(s);

	for (uint32_t i = done; i < s->deviations; i++)
		if (d[i].after.match != VTB_MATCH_INDEX || is_past(c, slots, &d[i]))
			return false;
	return true;
}

/* The paths that ranks name stand first. */
static bool same_ranks(const struct vtb_wire_schedule *a, const struct vtb_wire_schedule *b)
{
	const struct vtb_wire_path *p = (const void *)(a + 1), *q = (const void *)(b + 1);

	if (a->ranks != b->ranks || !same(ranks_of(a), ranks_of(b), a->ranks * sizeof(uint32_t)))
		return false;
	for (uint32_t i = 0; i < a->ranks; i++) {
		const uint32_t path = ranks_of(a)[i];

		if (!(path & VTB_RANK_FRAGMENT) &&
		    (path >= a->paths || path >= b->paths || !same(p, q, (path + 1) * sizeof(*p))))
			return false;
	}
	return true;
}

static bool same_deviation(const struct vtb_wire_deviation *a, const uint32_t *of_a, const struct vtb_wire_deviation *b,
                           const uint32_t *of_b)
{
	if (a->kind != b->kind || a->after.index != b->after.index || of_a[a->after.path] != of_b[b->after.path])
		return false;
	return OF_NOBODY >> a->kind & 1 ? a->target == b->target : of_a[a->target] == of_b[b->target];
}

/* A switch that the schedule asks for, and that the policy has made by itself. *at: where to look on. */
static bool has_switched(const struct checkpoint *c, const struct vtb_wire_deviation *d, const uint32_t *slots,
                         uint32_t *at)
{
	for (; *at < c->n_history; ++*at) {
		const struct turn *h = &C->history[*at];

		if (h->from == slots[d->after.path] && h->ops == d->after.index)
			return h->to == slots[d->target];
	}
	return false;
}

/* Is what was done on the way to c what s says? Then *ret_done is how many of its deviations that were. */
static bool leads_to(const struct vtb_wire_schedule *s, const struct checkpoint *c, uint32_t *ret_done)
{
	const struct vtb_wire_schedule *was = (const void *)c->schedule.at;
	const struct vtb_wire_deviation *a = deviations_of(was), *b = deviations_of(s);
	uint32_t i = 0, made = 0, at = 0;

	if (c->sites != vtb_rt.block->sites_now || !can_be_kept(s) || s->policy != was->policy ||
	    s->flags != was->flags || s->max_points != was->max_points || s->max_cpu_ms != was->max_cpu_ms ||
	    !same_ranks(was, s))
		return false;
	if (!resolve(c, was, C->slots[0]) || !resolve(c, s, C->slots[1]))
		return false;
	for (; i < s->deviations && b[i].after.match == VTB_MATCH_INDEX && is_past(c, C->slots[1], &b[i]); i++) {
		if (made < c->done && same_deviation(&a[made], C->slots[0], &b[i], C->slots[1]))
			made++;
		else if (b[i].kind != VTB_DEV_SWITCH || !has_switched(c, &b[i], C->slots[1], &at))
			return false;
	}
	*ret_done = i;
	return made == c->done && lies_ahead(c, s, C->slots[1], i);
}

const struct vtb_kept_state *vtb_checkpoint_find(const struct vtb_wire_schedule *s)
{
	if (!C)
		return NULL;
	while (C->n && !leads_to(s, &C->stack[C->n - 1], &C->done))
		C->n--;
	C->n_history = C->n ? C->stack[C->n - 1].n_history : 0;
	C->resumed = C->n ? &C->stack[C->n - 1] : NULL;
	return C->n ? &C->resumed->state : NULL;
}

bool vtb_checkpoint_any(void)
{
	return C && C->n;
}

/* ---- going on from one */

void vtb_checkpoint_resume(struct vtb_wire_slot *slot)
{
	slot->outcome.deviations_done = C->done;
	C->used++;
}

/* ---- taking one */

static bool is_time(void)
{
	if (C->always)
		return ++C->points % C->every == 0;
	if (!C->on)
		return false;
	C->point = vtb_engine_ticks();
	return C->point - C->last >= C->interval;
}

static void note_threads(struct checkpoint *c, struct vtb_rt_thread *const *t)
{
	c->n_threads = vtb_rt.n_threads;
	c->running = vtb_sched.running->base.slot;
	for (uint32_t i = 0; i < c->n_threads; i++)
		c->threads[i] = (struct at_thread){ t[i]->base.parent, t[i]->base.nth, t[i]->sched.ops };
}

static bool prepare(struct checkpoint *c)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;

	c->done = vtb_sched.first_open;
	note_threads(c, vtb_rt.threads);
	for (uint32_t i = c->done; i < s->deviations; i++)
		if (vtb_sched.deviation_done[i])
			return false;
	if (!resolve(c, s, C->slots[0]) || !lies_ahead(c, s, C->slots[0], c->done) ||
	    !vtb_kept_room(&c->schedule, s->size))
		return false;
	c->n_history = C->n_history;
	c->sites = vtb_rt.block->sites_now;
	memcpy(c->schedule.at, s, s->size);
	vtb_kept_note(&c->state);
	return true;
}

static void exchange(struct checkpoint *a, struct checkpoint *b)
{
	static struct checkpoint other VTB_HISTORY_RARE; /* the engine's alone: it may be rolled back */

	memcpy(&other, a, sizeof(other));
	memcpy(a, b, sizeof(other));
	memcpy(b, &other, sizeof(other));
}

/* There is no room for more: every second one, so that they are twice as far apart. The others keep their memory for
 * later. */
static void thin_out(void)
{
	for (uint32_t i = 1; 2 * i < C->n; i++)
		exchange(&C->stack[i], &C->stack[2 * i]);
	C->n = (C->n + 1) / 2;
	C->interval *= 2;
	C->every *= 2;
}

bool vtb_checkpoint_take(void *rsp, uint64_t fs)
{
	struct checkpoint *c = &C->stack[C->n];

	if (!vtb_kept_take(&c->state, rsp, fs))
		return false;
	C->n++;
	C->taken++;
	C->last = vtb_engine_ticks();
	C->cost = C->always ? C->cost : C->last - C->point;
	if (C->interval < INTERVAL * C->cost)
		C->interval = INTERVAL * C->cost;
	if (C->n == STACK_MAX)
		thin_out();
	return true;
}

/* False: gone through; true: this is a later run, which goes on from here. */
__attribute__((noinline)) static bool take_in_pad(void)
{
	void *room = __builtin_alloca_with_align(vtb_vectors_bytes, 64 * 8);
	bool later;

	vtb_vectors_keep(room); /* a pad is not a call: the program counts on its vector registers */
	later = vtb_snapshot_keep(vtb_checkpoint_take);
	vtb_vectors_take_back(room);
	return later;
}

static bool take(void)
{
	return VTB_UNLIKELY(vtb_sched.running->base.in_vectors) ? take_in_pad()
	                                                        : vtb_snapshot_keep(vtb_checkpoint_take);
}

void vtb_checkpoint_point(void)
{
	if (!is_time())
		return;
	if (!can_be_kept(vtb_sched.schedule) || !vtb_audit_clean() || vtb_sched.slot->events_used > EVENTS_MAX ||
	    vtb_rt.n_threads > THREADS_MAX || C->n_history == HISTORY_MAX ||
	    vtb_sched.slot->outcome.flags & (VTB_OUT_DIVERGED | VTB_OUT_TRUNCATED | VTB_OUT_HELD_BACK))
		return;
	if (!prepare(&C->stack[C->n]) || !take())
		return;
	vtb_kept_move_in(&C->resumed->state); /* in a later run */
	vtb_sched_exchange(C->done);
}

void vtb_checkpoint_turn(const struct vtb_rt_thread *from, const struct vtb_rt_thread *to)
{
	if (to && from != to && C->n_history < HISTORY_MAX)
		C->history[C->n_history++] = (struct turn){ from->base.slot, from->sched.ops, to->base.slot };
}

bool vtb_checkpoint_wanted(const struct vtb_wire_schedule *s)
{
	return C && (C->on || C->always) && can_be_kept(s);
}

/* ---- do they pay? */

void vtb_checkpoint_run_begins(void)
{
	if (!C)
		return;
	if (C->pause)
		C->pause--;
	C->began = C->last = vtb_engine_ticks();
}

void vtb_checkpoint_run_ends(bool whole)
{
	if (!C)
		return;
	if (whole) {
		C->on = !C->pause && vtb_engine_ticks() - C->began > LONG_RUN * C->cost;
		C->interval = INTERVAL * C->cost;
		C->every = 1;
	}
	if (C->taken < TRIAL)
		return;
	if (!C->used) {
		C->on = false;
		C->pause = PAUSE;
	}
	C->taken = C->used = 0;
}
