/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file remarks.h
 * What can be said of a core whatever kind of mistake it shows: how C++ programs come to it again and again. Each
 * leaves buf as it is if it does not fit.
 */
#ifndef VTB_REMARKS_H
#define VTB_REMARKS_H

#include "vtb/core_class.h"

/** A destructor gives back what a thread still uses, and waits for the end of that thread only then. */
void remark_destroyed_first(const struct vtb_core_view *v, char *buf, size_t size);
/** What is static is destroyed at the end of the process, under the hands of a thread that nobody waits for. */
void remark_at_exit(const struct vtb_core_view *v, char *buf, size_t size);
/** Threads use one std::shared_ptr, not only what it points to. */
void remark_shared_pointer(const struct vtb_core_view *v, char *buf, size_t size);
/** A thread tells another that waits that it may go on, and does what that looks at only then. */
void remark_told_early(const struct vtb_core_view *v, char *buf, size_t size);

/** A thread ends when it is told to, and leaves what was put for it. For whoever has no repair to tell. */
void remark_left_out(const struct vtb_core_view *v, char *buf, size_t size);

/** Is that of the pointer so of some literal of the core? */
bool remark_shares_pointer(const struct vtb_core_view *v);

/** The site to show for the operation of that run. */
static inline uint32_t remark_site(const struct vtb_core_view *v, const struct vtb_core_op *op,
                                   const struct vtb_exec *run)
{
	return v->place ? v->place(op, run, v->places) : op->site;
}

/** Is that event somebody's wait for the end of the thread? */
static inline bool remark_joins(const struct vtb_core_view *v, const struct vtb_event *e, uint32_t thread)
{
	const uint32_t object =
	    e->kind == VTB_E_THREAD_JOIN && e->var < v->tab->n_variables ? v->tab->variables[e->var].object : VTB_NONE;

	return object < v->tab->n_objects && v->tab->objects[object].thread == thread;
}

#endif /* VTB_REMARKS_H */
