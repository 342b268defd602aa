/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file models.h
 * The contract of this room: the functions that hooks call under control, threads from before main, and what models
 * need of each other.
 */
#ifndef VTB_RT_MODELS_H
#define VTB_RT_MODELS_H

#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "scheduler.h"

/* ---- instead of the real functions: they return when it is the calling thread's turn again and the model says that
 * the call is over. Same results as the real ones. Only the thread whose turn it is calls them. */

/** A block of the heap has been handed out, whoever asked for it. */
void vtb_ctl_block_is_born(const void *block);
/** Thread `t` gets an address of some kind. Which one depends on who asked first, which is no operation: if several
 * threads do, that is named. *last: who got one of this kind before, slot + 1, or 0; its variable is VTB_HISTORY. */
void vtb_ctl_gets_address(const struct vtb_rt_thread *t, uint32_t *last);
/** Thread `t` gets memory. Where it lies depends on who asked first, which is no operation: if several threads do, that
 * is named. */
void vtb_ctl_asks_memory(const struct vtb_rt_thread *t);
/** Are blocks that libc itself takes and gives back operations of t? */
bool vtb_ctl_watches_libc(const struct vtb_rt_thread *t);
/* one for each row of interpose.def, and those of control.def */
#define VTB_SYNC(ret, name, params, args, when, kind, obj, result) ret vtb_ctl_##name params;
#include "interpose.def"
#define VTB_CONTROL(ret, name, params) ret vtb_ctl_##name params;
#include "control.def"
#undef VTB_CONTROL

/* ---- prim_word.c: locks of one word, of libvtb-omp.so */

void vtb_ctl_word_lock(uint32_t *word);
bool vtb_ctl_word_trylock(uint32_t *word);
void vtb_ctl_word_unlock(uint32_t *word);
/** It is made, or ends: MUTEX_INIT, MUTEX_DESTROY. */
void vtb_ctl_word_told(unsigned kind, uint32_t *word);

/* ---- early_threads.c: threads that the program makes before main. They begin, under control, when main does. */

/** How many there are. */
uint32_t vtb_early_count(void);
/** Another one, whose handle is known already. False: there is no memory. */
bool vtb_early_note(pthread_t handle, void *(*start)(void *), void *arg, uint64_t pc);
/** It is to be detached. False: it is none of them. */
bool vtb_early_detach(pthread_t handle);
/** It is joined before main: run it now, to its end. False: it is none of them. */
bool vtb_early_join(pthread_t handle, void **ret);
/** One of them runs already, out of control: a run is refused. */
void vtb_early_escapes(void);
/** Main begins: make them, in order. Each takes the next fiber of the pool, whose handle it has. */
void vtb_early_begin(struct vtb_rt_thread *main);

/* ---- for every model */

/** An operation that the caller makes take effect itself, between the two. Not before: others may still come first. */
static inline void vtb_op_begin(struct vtb_rt_thread *t, struct vtb_call *call, const struct vtb_primitive *prim,
                                unsigned kind, const void *obj)
{
	*call = (struct vtb_call){ .prim = prim, .kind = (uint8_t)kind, .obj = obj, .pc = t->base.pc };
	vtb_ctl_arrive(t, call);
}

static inline void vtb_op_end(struct vtb_rt_thread *t, struct vtb_call *call)
{
	vtb_ctl_done(t, call);
	vtb_ctl_check_object(call);
}

/* ---- of one primitive for another, and for the rooms above */

/* prim_mutex.c */
bool vtb_mutex_free(const struct vtb_rt_thread *t, const pthread_mutex_t *m); /* can t take it now? */
uint32_t vtb_mutex_owner(const pthread_mutex_t *m);                           /* slot of the holder, or VTB_NO_PATH */
int vtb_mutex_take(struct vtb_rt_thread *t, pthread_mutex_t *m);
bool vtb_mutex_denies(const struct vtb_rt_thread *t, const pthread_mutex_t *m); /* is t told that it has it not? */
int vtb_mutex_give(const struct vtb_rt_thread *t, pthread_mutex_t *m, const struct vtb_call *call, const char *misuse);
/** t ends: robust mutexes that it holds go to the next one with EOWNERDEAD, an operation each. */
void vtb_mutex_holder_ends(struct vtb_rt_thread *t);

/* prim_sem.c */
/** The run is stopped: remove the files of named semaphores that it has made. */
void vtb_sem_remove_created(void);

/* prim_futex.c */
/** t ends: words that it owns go to those who wait for them, marked FUTEX_OWNER_DIED: an operation each. */
void vtb_futex_holder_ends(struct vtb_rt_thread *t);

/** The futex system call. False: an operation of it that is not modelled; make the call. */
bool vtb_futex_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);

/* prim_thread.c */
/** For vtb_carrier_body. */
void *vtb_thread_body(struct vtb_rt_thread *t);
/** Likewise main; returns its status. */
int vtb_thread_main(int argc, char **argv, char **envp);
/** The end begins, where other threads are: exit() looks for handlers, which these may still register. NULL: nobody is
 * told. Set once, before main. */
extern void (*vtb_ctl_exit_begins)(uint64_t pc);
/** exit() or _exit() was called, for the first time: what happens from here on is the end of the process. A debugger
 * stops here, where the status tells that the run fails (replay/src/session/gdb_commands.py). */
void vtb_ctl_is_to_end(int status);
/** The process ends, if that was begun: an operation. Handlers and destructors have run by then. */
void vtb_ctl_exit_point(void);

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
