/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file sync_family.h
 * What the families of primitives share: a row each (sync_model.c), a file each (sync_NAME.c), and the locks and queues
 * that several of them use.
 */
#ifndef VTB_SYNC_FAMILY_H
#define VTB_SYNC_FAMILY_H

#include "sync_model.h"

struct vtb_sync_family {
	/** Can `thread` do this now? */
	bool (*enabled)(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
	/** Do it. Returns the event's value. */
	uint64_t (*apply)(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
};

extern const struct vtb_sync_family vtb_sync_thread, vtb_sync_mutex, vtb_sync_rwlock, vtb_sync_cond, vtb_sync_sem,
    vtb_sync_barrier, vtb_sync_once, vtb_sync_futex, vtb_sync_clock;

/** Is it free, or held by `thread` itself? A mutex without a number always is. */
bool vtb_sync_mutex_free(const struct vtb_sync *s, uint32_t thread, uint32_t mutex);
void vtb_sync_mutex_take(struct vtb_sync *s, uint32_t thread, uint32_t mutex);
/** Once less; no effect if another thread holds it. */
void vtb_sync_mutex_give(struct vtb_sync *s, uint32_t thread, uint32_t mutex);

void vtb_sync_queue_join(struct vtb_sync *s, uint32_t thread, uint32_t object);
/** Wake the first `max`. Returns how many. */
uint32_t vtb_sync_queue_wake(struct vtb_sync *s, uint32_t object, uint32_t max);
/** Wake not the first one, but the one behind s->place others. Returns how many: 0 or 1. */
uint32_t vtb_sync_queue_wake_other(struct vtb_sync *s, uint32_t object);

#endif /* VTB_SYNC_FAMILY_H */
