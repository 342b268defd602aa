/* SPDX-License-Identifier: BSD-2-Clause */
/** @file models.h What the models of one primitive need of another. */
#ifndef VTB_RT_MODELS_H
#define VTB_RT_MODELS_H

#include <ucontext.h>

#include "controls.h"
#include "scheduler.h"

/* prim_mutex.c */
bool vtb_mutex_free(const struct vtb_rt_thread *t, const pthread_mutex_t *m); /* can t take it now? */
uint32_t vtb_mutex_owner(const pthread_mutex_t *m);
int vtb_mutex_take(struct vtb_rt_thread *t, pthread_mutex_t *m);
unsigned vtb_mutex_drop(pthread_mutex_t *m);
void vtb_mutex_restore(pthread_mutex_t *m, unsigned depth);
bool vtb_mutex_holder_ended(const struct vtb_rt_thread *t); /* did it hold one? */

/* prim_sem.c */
/** The run is stopped: remove the files of named semaphores that it has made. */
void vtb_sem_remove_created(void);

/* prim_futex.c */
/** t ends: words that it owns go to those who wait for them, marked FUTEX_OWNER_DIED. Did anybody wait? */
bool vtb_futex_holder_ended(const struct vtb_rt_thread *t);

/* prim_futex.c */
/** The futex system call. False: an operation of it that is not modelled; make the call. */
bool vtb_futex_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);

/* prim_thread.c */
/** For vtb_carrier_body. */
void *vtb_thread_body(struct vtb_rt_thread *t);
/** Likewise main; returns its status. */
int vtb_thread_main(int argc, char **argv, char **envp);
/** The process is about to end: an operation, after which exit handlers run. */
void vtb_ctl_exit_point(int status);

/* prim_heap.c */
struct vtb_state_hash;
/** What the blocks that are kept aside say of the time to come. */
struct vtb_state_hash vtb_heap_kept(void);
void vtb_heap_begin(void); /* before the first run */

/* queue.c: threads waiting at an address, in order of arrival */
void vtb_queue_join(struct vtb_rt_thread *t, const void *object);
uint32_t vtb_queue_length(const void *object);
/** The waiter number `place` (0: the first) that has not been signalled, or NULL. */
struct vtb_rt_thread *vtb_queue_waiter(const void *object, uint32_t place);
/** The waiter that an operation of `t` wakes: the first, or the one a WAITER deviation names. */
struct vtb_rt_thread *vtb_queue_choose(struct vtb_rt_thread *t, const void *object);

#endif /* VTB_RT_MODELS_H */
