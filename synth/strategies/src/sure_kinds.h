/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file sure_kinds.h What sure steps ask of one event by itself. */
#ifndef VTB_SURE_KINDS_H
#define VTB_SURE_KINDS_H

#include <errno.h>

#include "vtb/trace.h"
#include "vtb/wire.h"

#define VTB_SURE_RANGE_MAX 4096u /* bytes: of a larger one each part would have to be looked up */

static inline bool vtb_sure_did_it(const struct vtb_event *e)
{
	return !e->value || e->value == EOWNERDEAD;
}

static inline bool vtb_sure_depends_on_everything(const struct vtb_event *e)
{
	return e->kind == VTB_E_SIGNAL_SEND || e->kind == VTB_E_SIGNAL_HANDLE || e->kind == VTB_E_THREAD_CANCEL ||
	       e->kind == VTB_E_FORK || e->kind == VTB_E_LOST || e->kind == VTB_E_OWNED ||
	       (vtb_event_moves_children(e) && e->order != VTB_MOVES_IO);
}

static inline bool vtb_sure_is_access(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC ||
	                info->family == VTB_FAMILY_HEAP);
}

/* In memory, and so does an object's operation: its block may be given back, and the word of a futex is looked at. */
static inline bool vtb_sure_touches_memory(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return e->addr && info && info->flags & (VTB_EV_READS | VTB_EV_WRITES) && info->family != VTB_FAMILY_THREAD &&
	       info->family != VTB_FAMILY_IO && info->family != VTB_FAMILY_SIGNAL && info->family != VTB_FAMILY_CLOCK;
}

static inline bool vtb_sure_is_unclear(const struct vtb_event *e)
{
	return vtb_sure_is_access(e) &&
	       (!e->addr || e->size > VTB_SURE_RANGE_MAX || e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN));
}

/* An object that only operations on it change. */
static inline bool vtb_sure_is_of_object(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	const unsigned family = info ? info->family : VTB_FAMILY_RUN;

	return family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK || family == VTB_FAMILY_COND ||
	       family == VTB_FAMILY_SEM;
}

static inline bool vtb_sure_touches_mutex(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

/* That its thread has come to it decides nothing, nor does the time at which it has. */
static inline bool vtb_sure_is_quick(const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_UNLOCK:
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
	case VTB_E_THREAD_CREATE:
	case VTB_E_THREAD_END:
		return true;
	default:
		return vtb_sure_is_access(e);
	}
}

#endif /* VTB_SURE_KINDS_H */
