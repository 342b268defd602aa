/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dpor_compose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mutex_states.h"
#include "vtb/array.h"
#include "vtb/map64.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

#define BYTES_MAX 64u /* of one access */
#define NOBODY UINT32_MAX

/* What a thread with some past stands at, or what came of it with what it read. */
struct fact {
	struct vtb_event event;
	bool unseen;     /* it was never done: how many bytes it would touch is not certain */
	uint8_t verdict; /* the run ended with it: enum vtb_verdict; else VTB_V_NONE */
};

struct thread {
	uint64_t past; /* all that it did, and read */
	uint32_t done; /* operations */
	bool alive;
};

struct vtb_composer {
	struct vtb_map64 facts; /* -> index in items */
	struct fact *items;
	size_t n_items, cap_items;
	struct vtb_map64 classes; /* of complete runs that were made */
	/* the state of a run: */
	struct vtb_map64 memory;  /* byte -> who wrote it last, with which past */
	struct vtb_map64 objects; /* object -> who touched it last, with which past */
	struct vtb_map64 ended;   /* threads */
	struct vtb_mutex_states mutexes;
	struct thread *threads;
	size_t n_threads, cap_threads;
	uint64_t composed;
	bool off, unsound;
};

/* 0: nothing is known of it. */
static uint64_t get(const struct vtb_map64 *map, uint64_t key)
{
	const uint64_t *at = vtb_map64_at(map, key);

	return at ? *at : 0;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	return vtb_mix64(a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull) | 1;
}

/* ---- what operations read and write */

static bool is_access(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE ||
	       (e->kind >= VTB_E_ATOMIC_LOAD && e->kind <= VTB_E_ATOMIC_CAS_FAIL);
}

static bool is_object(const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_THREAD_BEGIN:
	case VTB_E_THREAD_END:
	case VTB_E_THREAD_CREATE:
	case VTB_E_THREAD_JOIN:
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_UNLOCK:
	case VTB_E_MUTEX_INIT:
	case VTB_E_MUTEX_DESTROY:
		return e->var != VTB_NONE;
	default:
		return false;
	}
}

static bool is_understood(const struct vtb_event *e)
{
	if (e->flags & VTB_EVF_WEAK)
		return false;
	if (is_access(e))
		return e->addr && e->size && e->size <= BYTES_MAX &&
		       !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN));
	return is_object(e) || e->kind == VTB_E_PROCESS_EXIT;
}

/* As it is before it is known how it will come out. */
static struct vtb_event as_pending(const struct vtb_event *e)
{
	struct vtb_event p = *e;

	p.kind = (uint8_t)vtb_event_pending_kind(p.kind);
	p.value = 0;
	return p;
}

static bool same(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == b->kind && a->var == b->var && a->addr == b->addr && a->site == b->site &&
	       a->thread == b->thread;
}

/* Who has written what the operation reads, each with its past. A plain or atomic store reads nothing; the exit sees
 * how far everybody is. */
static uint64_t sources(const struct vtb_composer *c, const struct vtb_event *e)
{
	uint64_t h = 1;

	if (e->kind == VTB_E_PROCESS_EXIT) {
		for (size_t t = 0; t < c->n_threads; t++)
			h += c->threads[t].done ? mix(mix(10, t), c->threads[t].past) : 0;
		return h;
	}
	if (!is_access(e))
		return mix(h, get(&c->objects, mix(2, e->var)));
	if (e->kind == VTB_E_WRITE || e->kind == VTB_E_ATOMIC_STORE)
		return h;
	for (uint32_t i = 0; i < e->size; i++)
		h = mix(h, get(&c->memory, mix(3, e->addr + i)));
	return h;
}

static int leave_traces(struct vtb_composer *c, const struct vtb_event *e)
{
	const uint64_t who = mix(e->thread + 1u, c->threads[e->thread].past);
	int r = 0;

	if (is_object(e) && e->kind != VTB_E_THREAD_JOIN)
		return vtb_map64_set(&c->objects, mix(2, e->var), who);
	if (!is_access(e) || e->kind == VTB_E_READ || e->kind == VTB_E_ATOMIC_LOAD || e->kind == VTB_E_ATOMIC_CAS_FAIL)
		return 0;
	for (uint32_t i = 0; r >= 0 && i < e->size; i++)
		r = vtb_map64_set(&c->memory, mix(3, e->addr + i), who);
	return r;
}

/* ---- the state of a run */

static int room_for_thread(struct vtb_composer *c, uint32_t thread)
{
	while (c->n_threads <= thread) {
		if (vtb_array_room(c, threads) < 0)
			return -ENOMEM;
		c->threads[c->n_threads] = (struct thread){ .past = mix(4, c->n_threads) };
		c->n_threads++;
	}
	return 0;
}

static int begin(struct vtb_composer *c)
{
	vtb_map64_clear(&c->memory);
	vtb_map64_clear(&c->objects);
	vtb_map64_clear(&c->ended);
	vtb_mutex_states_clear(&c->mutexes);
	c->n_threads = 0;
	if (room_for_thread(c, 0) < 0)
		return -ENOMEM;
	c->threads[0].alive = true;
	return 0;
}

static const struct fact *fact_at(const struct vtb_composer *c, uint64_t key)
{
	const uint64_t at = get(&c->facts, key);

	return at ? &c->items[at - 1] : NULL;
}

static uint64_t stands_key(const struct vtb_composer *c, uint32_t thread)
{
	return mix(mix(5, thread), c->threads[thread].past);
}

static uint64_t done_key(const struct vtb_composer *c, uint32_t thread, uint64_t read)
{
	return mix(mix(mix(6, thread), c->threads[thread].past), read);
}

/* Can `thread`, alive, do what it stands at? */
static bool can(const struct vtb_composer *c, const struct vtb_event *e)
{
	if (e->kind == VTB_E_LOCK)
		return vtb_mutex_states_free(&c->mutexes, e);
	if (e->kind == VTB_E_THREAD_JOIN)
		return get(&c->ended, e->var) != 0; /* it has ended */
	return true;
}

/* The operation takes place. Returns 1 if it is one that the model does not understand in this state. */
static int apply(struct vtb_composer *c, const struct vtb_event *e, uint64_t read)
{
	struct thread *t = &c->threads[e->thread];
	int r = 0;

	t->past = mix(t->past, read);
	t->done++;
	if (e->kind >= VTB_E_LOCK && e->kind <= VTB_E_MUTEX_DESTROY)
		r = vtb_mutex_states_apply(&c->mutexes, e);
	else if (e->kind == VTB_E_THREAD_JOIN)
		r = !get(&c->ended, e->var) || e->value || e->flags & VTB_EVF_TRY;
	else if (e->kind == VTB_E_THREAD_END)
		r = vtb_map64_set(&c->ended, e->var, 1);
	if (e->kind == VTB_E_THREAD_END)
		t->alive = false;
	return r ? r : leave_traces(c, e);
}

static uint64_t class_of(const struct vtb_composer *c)
{
	uint64_t h = 8;

	for (size_t t = 0; t < c->n_threads; t++)
		if (c->threads[t].done)
			h += mix(mix(9, t), c->threads[t].past);
	return h | 1;
}

/* ---- learning */

static int add_fact(struct vtb_composer *c, uint64_t key, const struct fact *new)
{
	const uint64_t at = get(&c->facts, key);
	struct fact *old = at ? &c->items[at - 1] : NULL;

	if (old) {
		const bool sizes = old->unseen || new->unseen || old->event.size == new->event.size;

		if (!same(&old->event, &new->event) || !sizes || old->verdict != new->verdict)
			c->off = c->unsound = true;
		else if (old->unseen)
			*old = *new;
		return 0;
	}
	if (vtb_array_room(c, items) < 0)
		return -ENOMEM;
	c->items[c->n_items++] = *new;
	return vtb_map64_set(&c->facts, key, c->n_items);
}

static int add_standing(struct vtb_composer *c, const struct vtb_event *e, bool unseen)
{
	const struct fact f = { .event = as_pending(e), .unseen = unseen };

	c->off |= !is_understood(&f.event);
	return c->off ? 0 : add_fact(c, stands_key(c, e->thread), &f);
}

/* Who is born by a creation is alive from then on: in runs that were made, who has operations or stands at one. */
static int find_threads(struct vtb_composer *c, const struct vtb_exec *x)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		r = room_for_thread(c, x->events[i].thread);
	for (size_t i = 0; r >= 0 && i < x->n_pending; i++)
		r = room_for_thread(c, x->pending[i].thread);
	return r;
}

/* Does the run say that those can go on of whom the state says so? Asked where what each stands at is known. */
static bool agrees(struct vtb_composer *c, const struct vtb_exec *x, size_t i)
{
	for (uint32_t t = 0; t < c->n_threads; t++) {
		const struct fact *f = c->threads[t].alive ? fact_at(c, stands_key(c, t)) : NULL;

		if (f && vtb_mutex_states_unsure(&c->mutexes, &f->event) &&
		    vtb_mutex_states_learn(&c->mutexes, &f->event, vtb_exec_enabled(x, i, t)) < 0)
			return false;
		if ((f || !c->threads[t].alive) && vtb_exec_enabled(x, i, t) != (f && can(c, &f->event)))
			return false;
	}
	return true;
}

/* Whose birth is it? False: nobody is known. */
static bool bear(struct vtb_composer *c, const struct vtb_event *create)
{
	bool any = false;

	for (uint32_t t = 1; t < c->n_threads; t++) {
		const struct fact *f = c->threads[t].done ? NULL : fact_at(c, stands_key(c, t));

		if (f && f->event.kind == VTB_E_THREAD_BEGIN && f->event.var == create->var)
			c->threads[t].alive = any = true;
	}
	return any;
}

/* One operation of a run that was made. */
static int learn_one(struct vtb_composer *c, const struct vtb_event *e, uint8_t verdict)
{
	const uint64_t read = sources(c, e);
	int r = add_standing(c, e, false);

	c->off |= !c->threads[e->thread].alive;
	if (r >= 0 && !c->off)
		r = add_fact(c, done_key(c, e->thread, read), &(struct fact){ .event = *e, .verdict = verdict });
	if (r >= 0 && !c->off)
		r = apply(c, e, read);
	c->off |= r == 1 || (e->kind == VTB_E_THREAD_CREATE && !bear(c, e));
	return r < 0 ? r : 0;
}

/* Births first: what a thread that has done nothing stands at does not depend on the rest of the run. */
static int learn_births(struct vtb_composer *c, const struct vtb_exec *x)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_THREAD_BEGIN)
			r = add_standing(c, &x->events[i], false);
	for (size_t i = 0; r >= 0 && i < x->n_pending; i++)
		if (x->pending[i].kind == VTB_E_THREAD_BEGIN)
			r = add_standing(c, &x->pending[i], true);
	return r;
}

static bool ended_well(enum vtb_verdict verdict)
{
	return verdict == VTB_V_NONE || verdict == VTB_V_DEADLOCK;
}

/* Is its end understood? A failure has to be that of the thread that acted last: then it follows from that thread's
 * past. */
static bool end_is_understood(const struct vtb_exec *x, size_t n)
{
	const enum vtb_verdict verdict = x->outcome.verdict;

	if (x->outcome.flags & VTB_OUT_DIVERGED || x->n_waits)
		return false;
	return ended_well(verdict) || (verdict == VTB_V_ASSERTION && n && x->outcome.thread == x->events[n - 1].thread);
}

static size_t operations_of(const struct vtb_exec *x)
{
	size_t n = x->n_events;

	while (n && (x->events[n - 1].kind == VTB_E_FAIL || x->events[n - 1].kind == VTB_E_LOST))
		n--;
	return n;
}

int vtb_composer_learn(struct vtb_composer *c, const struct vtb_exec *x)
{
	const size_t n = operations_of(x);
	int r = begin(c);

	if (c->off)
		return r;
	c->off = !end_is_understood(x, n) || x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_ASSUMED);
	if (r >= 0)
		r = find_threads(c, x);
	if (r >= 0)
		r = learn_births(c, x);
	for (size_t i = 0; r >= 0 && !c->off && i < n; i++) {
		const bool last = i + 1 == n && !ended_well(x->outcome.verdict);

		if (!is_understood(&x->events[i]))
			c->off = true;
		else if (!agrees(c, x, i)) /* something can wait, or cannot, for reasons that are not known here */
			c->off = c->unsound = true;
		else
			r = learn_one(c, &x->events[i], last ? (uint8_t)x->outcome.verdict : VTB_V_NONE);
	}
	for (size_t i = 0; r >= 0 && !c->off && i < x->n_pending; i++)
		if (ended_well(x->outcome.verdict) || x->pending[i].thread != x->outcome.thread)
			r = add_standing(c, &x->pending[i], true);
	return r < 0 || c->off ? r : vtb_map64_set(&c->classes, class_of(c), 1);
}

/* ---- putting a run together */

static uint32_t who_goes_on(const struct vtb_composer *c, const uint32_t *ranks, size_t n, uint32_t running)
{
	const struct fact *f =
	    running < c->n_threads && c->threads[running].alive ? fact_at(c, stands_key(c, running)) : NULL;

	if (f && can(c, &f->event))
		return running;
	for (size_t i = 0; i < n; i++) {
		f = ranks[i] < c->n_threads && c->threads[ranks[i]].alive ? fact_at(c, stands_key(c, ranks[i])) : NULL;
		if (f && can(c, &f->event))
			return ranks[i];
	}
	return NOBODY;
}

/* The row of those who can go on. 0: somebody's next operation is not known. */
static int fill_row(const struct vtb_composer *c, uint64_t *row, bool *ret_any)
{
	*ret_any = false;
	for (uint32_t t = 0; t < c->n_threads; t++) {
		const struct fact *f = c->threads[t].alive ? fact_at(c, stands_key(c, t)) : NULL;

		if (c->threads[t].alive && (!f || vtb_mutex_states_unsure(&c->mutexes, &f->event)))
			return 0;
		if (f && can(c, &f->event)) {
			row[t / 64] |= UINT64_C(1) << t % 64;
			*ret_any = true;
		}
	}
	return 1;
}

static int add_row(struct vtb_exec *x, uint64_t **ret)
{
	const size_t words = x->n_enabled + x->stride;
	void *items = x->enabled;
	int r = words > x->cap_enabled ? vtb_array_reserve(&items, &x->cap_enabled, words, sizeof(*x->enabled)) : 0;

	x->enabled = items;
	if (r < 0)
		return r;
	*ret = x->enabled + x->n_enabled;
	memset(*ret, 0, x->stride * sizeof(**ret));
	return 0;
}

/* Those alive who have not done what they stand at; who ended the run stands nowhere. 0: not known of all of them. */
static int add_pending(const struct vtb_composer *c, struct vtb_exec *x, bool ended)
{
	for (uint32_t t = 0; t < c->n_threads; t++) {
		const struct fact *f = c->threads[t].alive ? fact_at(c, stands_key(c, t)) : NULL;

		if (!c->threads[t].alive || (ended && t == x->outcome.thread))
			continue;
		if (!f)
			return 0;
		if (vtb_array_room(x, pending) < 0)
			return -ENOMEM;
		x->pending[x->n_pending++] = f->event;
	}
	return 1;
}

/* `thread` does its next operation. 1; 0: not known what comes of it; 2: the run ends with it. */
static int go_on(struct vtb_composer *c, struct vtb_exec *x, uint32_t thread)
{
	const struct fact *stands = thread < c->n_threads && c->threads[thread].alive
	                                ? fact_at(c, stands_key(c, thread))
	                                : NULL,
	                  *f;
	uint64_t read;
	int r;

	if (!stands || !can(c, &stands->event))
		return 0;
	read = sources(c, &stands->event);
	f = fact_at(c, done_key(c, thread, read));
	if (!f)
		return 0;
	if (vtb_array_room(x, events) < 0)
		return -ENOMEM;
	x->events[x->n_events++] = f->event;
	x->n_enabled += x->stride;
	x->outcome.verdict = f->verdict;
	x->outcome.thread = thread;
	r = apply(c, &f->event, read);
	if (r)
		return r < 0 ? r : 0;
	if (f->event.kind == VTB_E_THREAD_CREATE && !bear(c, &f->event))
		return 0;
	return f->verdict != VTB_V_NONE || f->event.kind == VTB_E_PROCESS_EXIT ? 2 : 1;
}

static int compose(struct vtb_composer *c, const uint32_t *order, size_t n, const uint32_t *ranks, size_t n_ranks,
                   struct vtb_exec *x)
{
	uint32_t running = NOBODY;
	int r = 1;

	for (size_t i = 0; r == 1; i++) {
		uint64_t *row;
		bool any;

		r = add_row(x, &row);
		if (r < 0)
			return r;
		r = fill_row(c, row, &any);
		if (!r)
			return 0;
		if (!any) {
			x->outcome.verdict = VTB_V_DEADLOCK;
			return i >= n;
		}
		running = i < n ? order[i] : who_goes_on(c, ranks, n_ranks, running);
		r = running == NOBODY ? 0 : go_on(c, x, running);
		if (r == 2 && i + 1 < n)
			return 0;
	}
	return r == 2 ? 1 : r;
}

int vtb_composer_compose(struct vtb_composer *c, const uint32_t *order, size_t n, const uint32_t *ranks, size_t n_ranks,
                         struct vtb_exec *ret)
{
	struct vtb_exec x = { 0 };
	int r = c->off ? 0 : begin(c);

	if (c->off || r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < n_ranks; i++)
		r = room_for_thread(c, ranks[i]);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = room_for_thread(c, order[i]);
	x.stride = (uint32_t)((c->n_threads + 63) / 64);
	if (r >= 0)
		r = compose(c, order, n, ranks, n_ranks, &x);
	if (r == 1 && !get(&c->classes, class_of(c)))
		r = 0;
	if (r == 1)
		r = add_pending(c, &x, x.outcome.verdict != VTB_V_DEADLOCK);
	if (r == 1) {
		c->composed++;
		*ret = x;
	} else {
		vtb_exec_fini(&x);
	}
	return r;
}

/* ---- */

uint64_t vtb_composer_composed(const struct vtb_composer *c)
{
	return c->composed;
}

bool vtb_composer_sound(const struct vtb_composer *c)
{
	return !c->unsound || !c->composed;
}

int vtb_composer_new(struct vtb_composer **ret)
{
	struct vtb_composer *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*ret = c;
	return 0;
}

void vtb_composer_free(struct vtb_composer *c)
{
	if (!c)
		return;
	vtb_map64_fini(&c->facts);
	vtb_map64_fini(&c->classes);
	vtb_map64_fini(&c->memory);
	vtb_map64_fini(&c->objects);
	vtb_map64_fini(&c->ended);
	vtb_mutex_states_fini(&c->mutexes);
	free(c->items);
	free(c->threads);
	free(c);
}
