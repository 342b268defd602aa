/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which operations depend on each other, and which of two could have come first. See strategy_dpor.c. */
#include <errno.h>

#include "dpor.h"

/* The end of the process decides what is still seen of the others. Where its receiver is when a signal is sent or a thread
 * cancelled decides where the handler runs or the thread ends. */
bool vtb_dpor_is_global(const struct dpor_op *op)
{
	const unsigned kind = op->event.kind;

	return op->world || kind == VTB_E_PROCESS_EXIT || kind == VTB_E_FORK || kind == VTB_E_SIGNAL_SEND || kind == VTB_E_THREAD_CANCEL;
}

static bool touches_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

static bool is_io(const struct vtb_event *e)
{
	return e->kind == VTB_E_IO_READ || e->kind == VTB_E_IO_WRITE;
}

/* A read may be a poll of many descriptors, of which its event names none. */
static bool reads_somewhere(const struct vtb_event *a, const struct vtb_event *b)
{
	return (a->kind == VTB_E_IO_READ && is_io(b)) || (b->kind == VTB_E_IO_READ && is_io(a));
}

static bool same_thread_object(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == VTB_E_THREAD_CREATE && b->kind == VTB_E_THREAD_BEGIN && a->var == b->var;
}

bool vtb_dpor_dependent(const struct dpor_op *x, const struct dpor_op *y)
{
	const struct vtb_event *a = &x->event, *b = &y->event;

	if (vtb_dpor_is_global(x) || vtb_dpor_is_global(y))
		return true;
	if (vtb_event_conflict(a, b) || reads_somewhere(a, b) || same_thread_object(a, b) || same_thread_object(b, a))
		return true;
	if (touches_mutex(a) && a->aux != VTB_NONE && (a->aux == b->var || (touches_mutex(b) && a->aux == b->aux)))
		return true;
	return touches_mutex(b) && b->aux != VTB_NONE && b->aux == a->var;
}

static bool gives_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_UNLOCK || e->kind == VTB_E_COND_WAIT;
}

static bool must_wait_for_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_LOCK || e->kind == VTB_E_COND_WAKE;
}

static uint32_t mutex_of(const struct vtb_event *e)
{
	return touches_mutex(e) ? e->aux : e->var;
}

static bool found_it_taken(const struct vtb_event *e)
{
	return (e->kind == VTB_E_TRYLOCK || e->kind == VTB_E_TIMEDLOCK) && e->value && e->value != EOWNERDEAD;
}

bool vtb_dpor_coenabled(const struct vtb_event *a, const struct vtb_event *b)
{
	if ((gives_mutex(a) || found_it_taken(a)) && must_wait_for_mutex(b)) /* somebody had it until then */
		return mutex_of(a) == VTB_NONE || mutex_of(a) != mutex_of(b);
	if (a->kind == VTB_E_THREAD_END && b->kind == VTB_E_THREAD_JOIN && !(b->flags & VTB_EVF_TRY) && a->var == b->var)
		return false;
	if (a->kind == VTB_E_ONCE_END && b->kind == VTB_E_ONCE_BEGIN && a->var == b->var)
		return false;
	return !(a->kind == VTB_E_THREAD_CREATE && (b->kind == VTB_E_THREAD_BEGIN || b->kind == VTB_E_THREAD_END) && a->var == b->var);
}

static bool takes_mutex(const struct vtb_event *e)
{
	return must_wait_for_mutex(e) || ((e->kind == VTB_E_TRYLOCK || e->kind == VTB_E_TIMEDLOCK) && !found_it_taken(e));
}

enum dpor_feasible vtb_dpor_feasible(const struct dpor *d, size_t i, const struct vtb_event *b, uint32_t before)
{
	const struct vtb_event *a = &d->levels[i].op.event;
	const struct vtb_event_info *info = vtb_event_info(b->kind);

	if (!info || !(info->flags & VTB_EV_BLOCKS) || b->flags & VTB_EVF_TRY)
		return DPOR_CAN;
	if (before <= i) /* its thread stood there already */
		return dpor_enabled(d, i, b->thread) ? DPOR_CAN : DPOR_CANNOT;
	if (b->kind == VTB_E_LOCK && takes_mutex(a) && mutex_of(a) == b->var)
		return DPOR_CAN; /* it was free */
	return DPOR_MAY;
}
