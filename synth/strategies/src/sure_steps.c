/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sure_steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sure_kinds.h"
#include "vtb/array.h"
#include "vtb/wire.h"

void vtb_sure_fini(struct vtb_sure_steps *s)
{
	vtb_racy_fini(&s->racy);
	vtb_map64_fini(&s->numbers);
	vtb_map64_fini(&s->odd);
	free(s->objects);
	free(s->threads);
	free(s->sure);
	*s = (struct vtb_sure_steps){ 0 };
}

/* ---- what a run shows: less is sure than it was, or as much */

static void set(struct vtb_sure_steps *s, bool *what)
{
	s->grown += !*what;
	*what = true;
}

static int set_odd(struct vtb_sure_steps *s, uint32_t var)
{
	uint64_t before;

	if (vtb_map64_get(&s->odd, var, &before))
		return 0;
	s->grown++;
	return vtb_map64_set(&s->odd, var, 1);
}

static bool is_odd(const struct vtb_sure_steps *s, uint32_t var)
{
	return vtb_map64_at(&s->odd, var) != NULL;
}

static uint64_t bit_of_lock(struct vtb_sure_steps *s, const struct vtb_event *e)
{
	uint32_t i = 0;

	while (i < s->n_locks && (s->locks[i].var != e->var || s->locks[i].addr != e->addr))
		i++;
	if (i == VTB_SURE_LOCKS)
		return 0;
	if (i == s->n_locks)
		s->locks[s->n_locks++] = (struct vtb_sure_lock){ e->addr, e->var };
	return UINT64_C(1) << i;
}

/* Of those held: the locks of that name. */
static uint64_t named(const struct vtb_sure_steps *s, uint64_t held, uint32_t var)
{
	uint64_t found = 0;

	for (uint64_t left = held; left; left &= left - 1)
		if (s->locks[__builtin_ctzll(left)].var == var)
			found |= left & -left;
	return found;
}

static int operate(struct vtb_sure_steps *s, uint32_t var, uint16_t thread)
{
	const uint64_t held = s->threads[thread].held;
	uint64_t *at = vtb_map64_put(&s->numbers, var, s->n_objects);
	struct vtb_sure_object *o, before;

	if (!at || vtb_array_room(s, objects) < 0)
		return -ENOMEM;
	if (*at == s->n_objects) {
		s->objects[s->n_objects++] = (struct vtb_sure_object){ .locks = held, .thread = thread };
		return 0;
	}
	o = &s->objects[*at];
	before = *o;
	o->locks &= held;
	o->several |= o->thread != thread;
	s->grown += o->several && (!before.several || o->locks != before.locks);
	return 0;
}

/* ---- which locks are held */

static void take(struct vtb_sure_thread *t, uint64_t lock)
{
	t->held |= lock;
	if (lock)
		t->depth[__builtin_ctzll(lock)]++;
}

static void give(struct vtb_sure_thread *t, uint64_t lock)
{
	if (!(t->held & lock))
		return;
	t->depth[__builtin_ctzll(lock)]--;
	if (!t->depth[__builtin_ctzll(lock)])
		t->held &= ~lock;
}

static void follow_locks(struct vtb_sure_steps *s, const struct vtb_event *e)
{
	struct vtb_sure_thread *t = &s->threads[e->thread];

	switch (e->kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
		if (vtb_sure_did_it(e))
			take(t, bit_of_lock(s, e));
		break;
	case VTB_E_UNLOCK:
		if (vtb_sure_did_it(e))
			give(t, bit_of_lock(s, e));
		break;
	case VTB_E_COND_WAIT: /* a mutex that is held twice is not given back: then it protects no more than it does */
		t->slept = named(s, t->held, e->aux);
		t->held &= ~t->slept;
		break;
	case VTB_E_COND_WAKE: /* who is late locks the mutex then */
		t->held |= vtb_sure_did_it(e) ? t->slept : 0;
		t->slept = 0;
		break;
	default:
		break;
	}
}

/* ---- one event */

/* Somebody asks about it without waiting, or does what only its holder should. */
static bool is_used_oddly(const struct vtb_sure_steps *s, const struct vtb_event *e)
{
	const struct vtb_sure_thread *t = &s->threads[e->thread];

	switch (e->kind) {
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_MUTEX_INIT:
	case VTB_E_MUTEX_DESTROY:
	case VTB_E_THREAD_DETACH:
		return true;
	case VTB_E_THREAD_JOIN:
		return e->value || e->flags & VTB_EVF_TRY;
	case VTB_E_LOCK:
		return e->value;
	case VTB_E_UNLOCK:
		return e->value || !named(s, t->held, e->var);
	default:
		return false;
	}
}

static bool somebody_holds(const struct vtb_sure_steps *s, uint32_t var)
{
	bool any = false;

	for (size_t t = 0; t < s->n_threads && !any; t++)
		any = named(s, s->threads[t].held | s->threads[t].slept, var);
	return any;
}

/* Who leaves the queue of a condition has its mutex then: whoever has that does not meet it. */
static int touch_objects(struct vtb_sure_steps *s, const struct vtb_event *e)
{
	int r = 0;

	if (e->var != VTB_NONE && e->kind != VTB_E_COND_WAKE)
		r = operate(s, e->var, e->thread);
	if (r >= 0 && vtb_sure_touches_mutex(e) && e->aux != VTB_NONE)
		r = operate(s, e->aux, e->thread);
	return r;
}

/* Before it takes place. */
static int show(struct vtb_sure_steps *s, const struct vtb_event *e)
{
	int r = 0;

	if (vtb_sure_depends_on_everything(e) ||
	    (s->others && (vtb_sure_is_unclear(e) || e->kind == VTB_E_PROCESS_EXIT)))
		set(s, &s->off); /* who had come how far is seen where the process ends before they do */
	if (e->kind == VTB_E_SLEEP)
		set(s, &s->strict);
	if (!s->others)
		return 0;
	if (is_used_oddly(s, e) && e->var != VTB_NONE)
		r = set_odd(s, e->var);
	if ((e->kind == VTB_E_MUTEX_INIT || e->kind == VTB_E_MUTEX_DESTROY) && somebody_holds(s, e->var))
		set(s, &s->off);
	return r >= 0 && vtb_sure_is_of_object(e) ? touch_objects(s, e) : r;
}

static void count_threads(struct vtb_sure_steps *s, const struct vtb_event *e)
{
	if (e->kind == VTB_E_THREAD_CREATE)
		s->others++;
	if (e->kind == VTB_E_THREAD_JOIN && !e->value && s->others)
		s->others--;
}

static int begin(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	if (vtb_array_extend(s, threads, 64u * x->stride, (struct vtb_sure_thread){ 0 }) < 0 ||
	    vtb_array_extend(s, sure, x->n_events, false) < 0)
		return -ENOMEM;
	memset(s->threads, 0, s->n_threads * sizeof(*s->threads));
	memset(s->sure, 0, s->n_sure * sizeof(*s->sure));
	s->others = 0;
	return 0;
}

static void show_time(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	if (x->n_clock_reads || x->outcome.flags & (VTB_OUT_TIMED | VTB_OUT_TIMING | VTB_OUT_ARRIVED))
		set(s, &s->strict);
	for (size_t k = 0; k < x->n_waits; k++) {
		if (x->waits[k].kind == VTB_E_SIGNAL_DUE)
			set(s, &s->off);
		if (x->waits[k].armed)
			set(s, &s->strict);
	}
}

/* ---- which are sure */

/* Nobody else can operate on it now. */
static bool has_alone(const struct vtb_sure_steps *s, uint32_t var, uint64_t held)
{
	uint64_t at;

	return vtb_map64_get(&s->numbers, var, &at) && (!s->objects[at].several || s->objects[at].locks & held);
}

/* Seen alone, before it takes place. */
static bool is_sure(const struct vtb_sure_steps *s, const struct vtb_event *e)
{
	const struct vtb_sure_thread *t = &s->threads[e->thread];

	if (vtb_sure_is_access(e))
		return !vtb_racy_touches(&s->racy, e);
	switch (e->kind) {
	case VTB_E_UNLOCK:
		return !is_odd(s, e->var) && !e->value && named(s, t->held, e->var);
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST: /* a deadline may pass just before */
		return !s->strict && has_alone(s, e->var, t->held);
	case VTB_E_COND_WAIT: /* gives the mutex back, too */
		return has_alone(s, e->var, t->held) && !is_odd(s, e->aux) && named(s, t->held, e->aux);
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_SEM_WAIT:
	case VTB_E_SEM_POST:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_RWUNLOCK:
		return has_alone(s, e->var, t->held);
	case VTB_E_THREAD_CREATE:
	case VTB_E_THREAD_BEGIN:
		return e->var != VTB_NONE;
	case VTB_E_THREAD_END:
	case VTB_E_THREAD_JOIN:
		return e->var != VTB_NONE && !is_odd(s, e->var);
	default:
		return false;
	}
}

static int show_pending(struct vtb_sure_steps *s, const struct vtb_event *e)
{
	int r = 0;

	if (is_used_oddly(s, e) && e->var != VTB_NONE)
		r = set_odd(s, e->var);
	if (r >= 0 && vtb_sure_touches_memory(e))
		r = vtb_racy_feed(&s->racy, e, !s->off);
	return r >= 0 && vtb_sure_is_of_object(e) ? touch_objects(s, e) : r;
}

static int first_pass(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	const uint64_t grown = s->racy.grown;
	int r = vtb_racy_begin(&s->racy, 64u * x->stride);

	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		r = show(s, &x->events[i]);
		if (r >= 0)
			r = vtb_racy_feed(&s->racy, &x->events[i],
			                  s->others && !s->off && vtb_sure_touches_memory(&x->events[i]));
		follow_locks(s, &x->events[i]);
		count_threads(s, &x->events[i]);
	}
	for (size_t k = 0; r >= 0 && k < x->n_pending; k++) /* who waits to the end has not done what others meet */
		r = show_pending(s, &x->pending[k]);
	s->grown += s->racy.grown - grown;
	return r;
}

/* A deadline that passes where nobody could go on is a choice of that point. */
static void not_where_time_passed(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	for (size_t k = 0; k < x->n_waits; k++)
		if (!x->waits[k].kind && x->waits[k].armed && x->waits[k].row < x->n_events)
			s->sure[x->waits[k].row] = false;
}

/* With what ends the process, or makes the run fail, all that others had still to do is not seen. */
static void not_where_it_ended(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	size_t last = x->n_events;

	while (last > 0 && !vtb_event_is_operation(&x->events[last - 1]))
		last--;
	if (last)
		s->sure[last - 1] = false;
	while (last > 0 && x->events[last - 1].thread != x->outcome.thread)
		last--;
	if (last)
		s->sure[last - 1] = false;
}

/* Backwards: what its thread does next, and whether it reads a clock before that. */
static void look_ahead(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	size_t k = x->n_clock_reads;

	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];
		struct vtb_sure_thread *t = &s->threads[e->thread];

		for (; k > 0 && x->clock_reads[k - 1].row > i; k--)
			s->threads[x->clock_reads[k - 1].thread].reads_clock = true;
		if (t->reads_clock || (s->strict && (!t->next || !vtb_sure_is_quick(&x->events[t->next - 1]))))
			s->sure[i] = false;
		t->reads_clock = false;
		t->next = (uint32_t)i + 1;
	}
}

static void second_pass(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	memset(s->threads, 0, s->n_threads * sizeof(*s->threads));
	for (size_t i = 0; i < x->n_events; i++) {
		s->sure[i] = is_sure(s, &x->events[i]);
		follow_locks(s, &x->events[i]);
	}
	not_where_time_passed(s, x);
	not_where_it_ended(s, x);
	look_ahead(s, x);
}

int vtb_sure_learn(struct vtb_sure_steps *s, const struct vtb_exec *x)
{
	int r = begin(s, x);

	if (r < 0)
		return r;
	show_time(s, x);
	r = first_pass(s, x);
	if (r >= 0 && !s->off)
		second_pass(s, x);
	return r;
}
