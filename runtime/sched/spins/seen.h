/* SPDX-License-Identifier: BSD-2-Clause */
/** @file seen.h What a thread has read, to tell who reads the same again and again (seen.c). Words: see fast.h. */
#ifndef VTB_RT_SEEN_H
#define VTB_RT_SEEN_H

#include "base.h"
#include "variety.h"

#define VTB_SEEN_OBJECTS 16u

struct vtb_seen_object {
	const void *obj;
	uint64_t value;
};

/** A thread's table; its first part is base.seen. Made by vtb_fair_table(), which also says who owns it. */
struct vtb_seen_table {
	uint64_t words[2 * VTB_SEEN];
	struct vtb_seen_object objects[VTB_SEEN_OBJECTS];
	uint64_t n_objects; /* those from here on are free */
	struct vtb_variety variety;
};

/** The thread has a table. */
static inline struct vtb_seen_table *vtb_seen_table_of(const struct vtb_rt_thread *t)
{
	return (struct vtb_seen_table *)t->base.seen;
}

static inline bool vtb_seen_is_range(const struct vtb_call *call)
{
	return !call->prim && call->kind == VTB_E_READ && call->size_log2 == VTB_REC_SIZE_IN_ARG;
}

/** What `call` has read, as one number: of a range its size and its first bytes. O(bytes), at most 512. */
uint64_t vtb_seen_value(const struct vtb_call *call);
/** Has t, which has a table, found this object of a model in this state before? Remembers it. O(objects), at most 16.
 */
bool vtb_seen_object_before(struct vtb_rt_thread *t, const struct vtb_call *call);

#endif /* VTB_RT_SEEN_H */
