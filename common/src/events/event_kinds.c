/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "vtb/trace.h"

const struct vtb_event_info vtb_event_infos[VTB_EVENT_KINDS] = {
#define VTB_EVENT(symbol, number, json, fam, bits, what) \
	[number] = { .name = json, .text = what, .family = VTB_FAMILY_##fam, .flags = bits },
#include "vtb/events.def"
#undef VTB_EVENT
};

static const struct {
	const char *name, *text;
	int exit_code;
} verdicts[VTB_VERDICTS] = {
#define VTB_VERDICT(symbol, number, json, code, what) [number] = { json, what, code },
#include "vtb/verdicts.def"
#undef VTB_VERDICT
};

int vtb_event_kind_by_name(const char *name)
{
	for (int i = 0; i < VTB_EVENT_KINDS; i++)
		if (vtb_event_infos[i].name && !strcmp(vtb_event_infos[i].name, name))
			return i;
	return -EINVAL;
}

const char *vtb_verdict_name(enum vtb_verdict verdict)
{
	return (unsigned)verdict < VTB_VERDICTS ? verdicts[verdict].name : "?";
}

const char *vtb_verdict_text(enum vtb_verdict verdict)
{
	return (unsigned)verdict < VTB_VERDICTS ? verdicts[verdict].text : "?";
}

int vtb_verdict_exit_code(enum vtb_verdict verdict)
{
	return (unsigned)verdict < VTB_VERDICTS ? verdicts[verdict].exit_code : 3;
}

int vtb_verdict_by_name(const char *name)
{
	for (int i = 0; i < VTB_VERDICTS; i++)
		if (!strcmp(verdicts[i].name, name))
			return i;
	return -EINVAL;
}

static uint8_t edges_of_atomic(const struct vtb_event *e, const struct vtb_event_info *info)
{
	/* consume is compiled as acquire everywhere */
	const bool acquire =
	    e->order == VTB_ORDER_CONSUME || e->order == VTB_ORDER_ACQUIRE || e->order >= VTB_ORDER_ACQ_REL;
	const bool release = e->order == VTB_ORDER_RELEASE || e->order >= VTB_ORDER_ACQ_REL;
	const bool fence = e->kind == VTB_E_FENCE;
	uint8_t edges = 0;

	if (acquire && (fence || info->flags & VTB_EV_READS))
		edges |= VTB_EVF_ACQUIRES;
	if (release && (fence || info->flags & VTB_EV_WRITES))
		edges |= VTB_EVF_RELEASES;
	return edges;
}

/* Lock-like operations say by their value whether they did it. A robust mutex is also owned after EOWNERDEAD. */
static bool did_nothing(const struct vtb_event *e, const struct vtb_event_info *info)
{
	switch (info->family) {
	case VTB_FAMILY_MUTEX:
	case VTB_FAMILY_RWLOCK:
		return e->value && e->value != EOWNERDEAD;
	case VTB_FAMILY_SEM:
		return e->value && info->flags & VTB_EV_ACQUIRE;
	case VTB_FAMILY_IO: /* that a descriptor is not open is an answer, too, and comes from who closed it */
		return e->value && e->value != EBADF && info->flags & VTB_EV_ACQUIRE;
	default:
		return false;
	}
}

void vtb_event_classify(struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	e->flags &= (uint8_t) ~(VTB_EVF_ACQUIRES | VTB_EVF_RELEASES);
	if (!info)
		return;
	if (info->family == VTB_FAMILY_ATOMIC) {
		e->flags |= edges_of_atomic(e, info);
		return;
	}
	if (did_nothing(e, info))
		return;
	if (info->flags & VTB_EV_ACQUIRE)
		e->flags |= VTB_EVF_ACQUIRES;
	if (info->flags & VTB_EV_RELEASE)
		e->flags |= VTB_EVF_RELEASES;
}

enum vtb_lock_change vtb_lock_change(const struct vtb_event *e, uint32_t *ret_lock, bool *ret_shared)
{
	*ret_lock = e->var;
	*ret_shared = e->kind == VTB_E_RDLOCK || e->kind == VTB_E_TRYRDLOCK;
	switch (e->kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
		return e->flags & VTB_EVF_ACQUIRES ? VTB_LOCK_TAKEN : VTB_LOCK_SAME;
	case VTB_E_UNLOCK:
	case VTB_E_RWUNLOCK:
		return e->flags & VTB_EVF_RELEASES ? VTB_LOCK_GIVEN : VTB_LOCK_SAME;
	case VTB_E_COND_WAIT:
		*ret_lock = e->aux;
		return VTB_LOCK_GIVEN;
	case VTB_E_COND_WAKE:
		*ret_lock = e->aux;
		return VTB_LOCK_TAKEN;
	default:
		return VTB_LOCK_SAME;
	}
}

/* [a, a+m) and [b, b+n) share a byte; a size of 0 stands for the one byte that names an object. */
static bool ranges_meet(uint64_t a, uint64_t m, uint64_t b, uint64_t n)
{
	return a < b ? b - a < (m ? m : 1) : a - b < (n ? n : 1);
}

bool vtb_event_overlap(const struct vtb_event *a, const struct vtb_event *b)
{
	const unsigned flags = a->flags | b->flags;
	const bool same_var = a->var == b->var && a->var != VTB_NONE;

	if (flags & VTB_EVF_ADDR_UNKNOWN)
		return false;
	if (!a->size && !b->size && (same_var || (a->var != VTB_NONE && b->var != VTB_NONE)))
		return same_var;
	if (a->flags & b->flags & VTB_EVF_ADDR_SYMBOLIC)
		return same_var && ranges_meet(a->addr, a->size, b->addr, b->size);
	if (flags & VTB_EVF_ADDR_SYMBOLIC) /* one address is an offset: only the name can tell */
		return same_var;
	return a->addr && b->addr && ranges_meet(a->addr, a->size, b->addr, b->size);
}

bool vtb_event_conflict(const struct vtb_event *a, const struct vtb_event *b)
{
	const struct vtb_event_info *x = vtb_event_info(a->kind), *y = vtb_event_info(b->kind);
	const uint32_t touches = VTB_EV_READS | VTB_EV_WRITES;

	if (!x || !y || a->thread == b->thread || !(x->flags & touches) || !(y->flags & touches))
		return false;
	return (x->flags | y->flags) & VTB_EV_WRITES && vtb_event_overlap(a, b);
}
