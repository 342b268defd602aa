/* SPDX-License-Identifier: BSD-2-Clause */
/** @file models.h What the models of one primitive need of another. */
#ifndef VTB_RT_MODELS_H
#define VTB_RT_MODELS_H

#include "scheduler.h"

/* prim_mutex.c */
bool vtb_mutex_free(const struct vtb_rt_thread *t, const pthread_mutex_t *m); /* can t take it now? */
uint32_t vtb_mutex_owner(const pthread_mutex_t *m);
int vtb_mutex_take(struct vtb_rt_thread *t, pthread_mutex_t *m);
unsigned vtb_mutex_drop(pthread_mutex_t *m);
void vtb_mutex_restore(pthread_mutex_t *m, unsigned depth);
bool vtb_mutex_holder_ended(const struct vtb_rt_thread *t); /* did it hold one? */
uint32_t vtb_spin_owner(const void *lock);

/* prim_sem.c */
/** The run is stopped: remove the files of named semaphores that it has made. */
void vtb_sem_remove_created(void);

/* prim_futex.c */
/** Slot of the thread whose kernel id stands in a futex word, or VTB_NO_PATH. */
uint32_t vtb_futex_owner(const void *word);
/** t ends: words that it owns go to those who wait for them, marked FUTEX_OWNER_DIED. Did anybody wait? */
bool vtb_futex_holder_ended(const struct vtb_rt_thread *t);

/* prim_try.c */
/** Slot of the thread that has the exclusive lock of the file, as far as it is known; VTB_NO_PATH. */
uint32_t vtb_file_lock_owner(int fd);
/** Is this a wait for the lock of a file? Then of which descriptor. */
bool vtb_file_lock_wait(const struct vtb_call *call, int *ret_fd);

/* prim_rwlock.c */
/** Who holds it: the writer's slot, or VTB_NO_PATH. */
uint32_t vtb_rwlock_writer(const pthread_rwlock_t *l);

/* prim_thread.c */
/** Act on a pending cancellation of the calling thread, if it is enabled; may not return. */
void vtb_cancellation_point(struct vtb_rt_thread *t);
/** The same for a thread of asynchronous type: called wherever another thread may have run in between. */
void vtb_cancel_async(struct vtb_rt_thread *t);

/* prim_heap.c */
struct vtb_state_hash;
/** What the blocks that are kept aside say of the time to come. */
struct vtb_state_hash vtb_heap_kept(void);
void vtb_heap_begin(void); /* before the first run */

/* failure.c */
/** The object of the operation was used against its rules: the run ends. */
_Noreturn void vtb_misuse(const struct vtb_call *call, const char *message);

/* queue.c: threads waiting at an address, in order of arrival */
void vtb_queue_join(struct vtb_rt_thread *t, const void *object);
void vtb_queue_leave(struct vtb_rt_thread *t);
uint32_t vtb_queue_length(const void *object);
/** The waiter number `place` (0: the first) that has not been signalled, or NULL. */
struct vtb_rt_thread *vtb_queue_waiter(const void *object, uint32_t place);
/** The waiter that an operation of `t` wakes: the first, or the one a WAITER deviation names. */
struct vtb_rt_thread *vtb_queue_choose(struct vtb_rt_thread *t, const void *object);

#endif /* VTB_RT_MODELS_H */
