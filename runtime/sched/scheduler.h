/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scheduler.h
 * The contract of this room, the one header of it that others include: the scheduler of control mode, one run of the
 * program under one schedule. (<sched.h> is libc's name.) Its parts: operations (control.h), threads that go round and
 * round (spins/progress.h), tables that grow (run_limits.h), what else wakes a thread (wake_source.h).
 *
 *     arrive ── choose (policy, deviations, constraints, virtual time) ── hand over (carrier) ── perform ── done
 *
 * Shape:   threads are those of vtb_rt.threads; exactly one runs, `running`. All of this is touched only by the thread
 *          whose turn it is, so nothing is locked.
 * Run:     state is set by vtb_sched_begin() from the slot's schedule and lasts until the process ends.
 */
#ifndef VTB_RT_SCHEDULER_H
#define VTB_RT_SCHEDULER_H

#include <time.h>

#include "base.h"
#include "elsewhere.h"
#include "control.h"
#include "spins/fair.h"
#include "spins/progress.h"
#include "spins/survey.h"
#include "run_limits.h"
#include "stretches/owned.h"
#include "stretches/owned_near.h"
#include "vtb/wire.h"
#include "wake_source.h"
#include "points/walk_choice.h"

/** How a deviation or one end of a constraint stands. */
struct vtb_op_state {
	uint32_t seen; /* operations so far that the site description fits */
	uint32_t at;   /* the thread's `ops` when the occurrence was reached; 0 not yet (VTB_MATCH_SITE) */
};

#define VTB_SPIN_PRINTS 16u

struct vtb_sched {
	bool active;
	bool masks;        /* threads have signal masks of their own */
	bool shares;       /* there are primitives that other processes may have, too */
	bool handlers;     /* the program has set a signal handler */
	bool catches;      /* system calls of the program trap */
	bool aside;        /* control has gone with a forked child: nothing of this process is recorded (follow.h) */
	bool kernel_waits; /* threads may wait in the kernel, where no model sees them: nothing is rolled back */
	bool exiting;      /* exit() has begun, and calls handlers and destructors; PROCESS_EXIT comes last */
	int status;        /* and the status it was called with */
	uint32_t process;  /* the kernel's id of the one that is controlled */
	struct vtb_wire_slot *slot;
	struct vtb_rt_stream stream;
	uint32_t stream_slot; /* thread of the last record */
	const char *events;   /* where the slot's records begin */
	uint64_t told_ready;  /* bytes from there: the last BLOCK or UNBLOCK record; 0: none */
	uint32_t others;      /* of whom it tells, beside the first */
	bool stem;            /* VTB_SCHED_STEM, and main has not come to what ends the stem */
	bool keeps;           /* states in the middle of this run may be kept (checkpoint.c) */
	struct vtb_rt_thread *running;
	struct vtb_rt_thread *stretch; /* whose accesses go the fast way (stretch.c), or NULL */

	/* the schedule, in the block */
	const struct vtb_wire_schedule *schedule;
	const struct vtb_wire_path *paths;
	const uint32_t *ranks;
	const struct vtb_wire_deviation *deviations;
	const struct vtb_wire_constraint *constraints;
	const uint64_t *pcs;
	const uint32_t *weights;
	struct vtb_op_state *deviation_state;  /* one for each deviation */
	struct vtb_op_state *constraint_state; /* two for each constraint: before, after */
	bool *deviation_done;
	uint64_t points_max;     /* UINT64_MAX: no limit */
	bool by_site;            /* some operation is described by its site */
	bool watched;            /* or has a constraint, or stacks or states are wanted: each operation is looked at */
	bool cares;              /* states are wanted or kept, or time is real: so is each point */
	bool may_be_calm;        /* and nothing else is asked at them, either */
	bool calm;               /* besides, no thread is held back, and no deviation open: only the policy decides */
	uint32_t first_open;     /* deviations before this are done */
	uint32_t fragments_used; /* demotions so far */
	uint64_t random;         /* state of the generator */

	uint64_t points;
	uint64_t now;                          /* virtual nanoseconds since the start of the run */
	uint64_t used;                         /* of it, what threads have used up themselves: not waits */
	uint64_t real_start;                   /* with VTB_OPT_REAL_TIME: the monotonic clock then */
	uint64_t clock_reads;                  /* since somebody else moved */
	uint64_t ticket;                       /* last place given out in a waiter queue */
	uint64_t epoch;                        /* changes of state that a spinning thread may be waiting for */
	uint32_t unblocks;                     /* why who can go on now could not before: VTB_UNBLOCK_* */
	uint64_t times;                        /* jumps of the clock, which are no progress by themselves */
	uint32_t held;                         /* threads that are held back */
	bool rounds_write;                     /* one was held back on a round that writes on its own stack */
	uint64_t spin_prints[VTB_SPIN_PRINTS]; /* fingerprints of where all were held back the last times */
	uint32_t spin_next;
	struct vtb_rt_thread *favoured; /* another waits for it to go all its way round, and not the other way about */
	uint32_t spin_turn;             /* who goes next, if they go one after the other */
	uint32_t spin_rounds;           /* times all threads were spinning since the last change */
	uint64_t coin;                  /* state of the generator that says who gives way (meet.c), */
	uint32_t tosses;                /* and how often it was asked since all threads were spinning */
	struct vtb_survey survey;       /* what other ways there are from states that come again (laps) */
	struct vtb_laps laps;
	uint64_t calls, spin_calls; /* system calls of the program; as they were when all began to spin */
	uint64_t asked;             /* of these, those whose answer no model knows */
};
extern struct vtb_sched vtb_sched;
extern uint32_t vtb_ready_n;   /* see vtb_ready_count() */
#include "stretches/stretch.h" /* needs these */

/** The run may have become calm: asked before a turn passes and after an operation. Whoever changes what is looked at
 * here for the worse says at once that it is no more. */
void vtb_sched_calm_again(void);
static inline void vtb_sched_look_calm(void)
{
	if (VTB_UNLIKELY(!vtb_sched.calm && vtb_sched.may_be_calm))
		vtb_sched_calm_again();
}

/** How threads take turns (carrier_*.c). */
struct vtb_carrier {
	const char *name;
	/** Make child run, up to its first turn; 0 or an error number. Called by the creator. */
	int (*create)(struct vtb_rt_thread *child, pthread_t *handle, const pthread_attr_t *attr);
	/** Let `to` run and return when it is `from`'s turn again. */
	void (*hand_over)(struct vtb_rt_thread *from, struct vtb_rt_thread *to);
	/** `from` has ended: let `to` run, do not wait. `to` NULL: no thread is left, the process ends. */
	void (*leave)(struct vtb_rt_thread *from, struct vtb_rt_thread *to);
	/** Give back what is left of an ended thread; error number. */
	int (*join)(struct vtb_rt_thread *ended, void **ret_result);
	int (*detach)(struct vtb_rt_thread *t);
	/** The id by which the kernel knows the thread, if it is not carried by its own kernel thread; else NULL. */
	long (*kernel_id)(const struct vtb_rt_thread *t);
	/** The kernel is about to hand down what it knows of the kernel thread. NULL: it knows all. */
	void (*about_to_fork)(void);
	/** Who carries on in a forked child. */
	const struct vtb_carrier *forked;
};
/** Set before the first run. */
extern const struct vtb_carrier *vtb_carrier;
/** All that a controlled thread does (models/prim_thread.c): a carrier calls it on the new thread at its first turn. */
extern void *(*vtb_carrier_body)(struct vtb_rt_thread *t);
/** The id by which the kernel knows t. */
long vtb_carrier_id(const struct vtb_rt_thread *t);
/** What getpid(), gettid() and getppid() say: the same in every run, and what no process has (carrier.c). False: what
 * the kernel says. */
bool vtb_ids_are_told(void);
long vtb_told_process(void);
long vtb_told_parent(void);
long vtb_told_thread(const struct vtb_rt_thread *t);
/** The kernel's id behind a told one, of a thread that of the kernel thread that carries it; another id as it is. */
long vtb_id_behind(long id);
/** The live thread that the kernel knows by this id, NULL if there is none; its slot, VTB_NO_PATH. O(threads). */
const struct vtb_rt_thread *vtb_carrier_thread(long id);
/** Likewise, but also one that has ended, if its id was told. */
const struct vtb_rt_thread *vtb_carrier_thread_once(long id);
uint32_t vtb_carrier_slot(long id);

/** How system calls of the program are caught (kernel/syscalls.c). */
struct vtb_catching {
	char *selector; /* in shared memory: the kernel reads it at every call; NULL: they are not */
	bool filtered;  /* by seccomp: it does not read that, and calls trap for good */
};
extern struct vtb_catching vtb_catching;
enum { VTB_CALLS_PASS, VTB_CALLS_TRAP };
/** Calls pass (`on` false) or trap, for all kernel threads. */
static inline void vtb_syscalls_on(bool on)
{
	if (vtb_catching.selector)
		*vtb_catching.selector = on ? VTB_CALLS_TRAP : VTB_CALLS_PASS;
}

/** Of the present run of a slot: its schedule; where its events begin, and how many bytes there are for them. */
static inline const struct vtb_wire_schedule *vtb_slot_schedule(const struct vtb_wire_slot *slot)
{
	return (const void *)((const char *)vtb_rt.block + slot->schedule_offset + slot->schedule_at);
}
static inline char *vtb_slot_events(const struct vtb_wire_slot *slot)
{
	return (char *)vtb_rt.block + slot->events_offset + slot->events_at;
}
static inline uint64_t vtb_slot_room(const struct vtb_wire_slot *slot)
{
	return slot->events_size - slot->events_at;
}

/* ---- scheduler.c, access.c, run.c, run_records.c */
/** Take the schedule in slot `slot`; the process has this id. Call on the main thread before main. */
void vtb_sched_begin(struct vtb_wire_slot *slot, uint32_t process);
/** In the middle of a run: go on by the schedule in the slot, whose first `done` deviations have been made. */
void vtb_sched_exchange(uint32_t done);
/** Likewise, before there is a second thread: only the seed is another than it `was`. What was drawn stays drawn. */
void vtb_sched_sow(uint64_t was);
/** The program is over: record what threads were at, stop controlling. */
void vtb_sched_end(void);
/** The program ends itself here and now, without its own clean-up. */
_Noreturn void vtb_sched_quit(int status);
/** The thread has ended: choose who goes on, NULL if no thread is left. */
struct vtb_rt_thread *vtb_sched_leave(struct vtb_rt_thread *t);
/** Something changed outside of an operation, or nobody knows what: look at all threads again. O(threads). */
#define vtb_sched_recheck vtb_ready_look_at_all
/** Likewise, but only the state of this object. O(threads that wait there). */
void vtb_sched_changed(const void *object);
/** t stands at `call`: who goes on? Returns when it is t; a signal may be there for it to be handled first. */
void vtb_sched_point(struct vtb_rt_thread *t, struct vtb_call *call);
/** t has its turn, and before its operation signals to handle; then it is its turn again. */
void vtb_sched_handle(struct vtb_rt_thread *t, struct vtb_call *call);
/** BLOCK or UNBLOCK (`kind`) of the thread; several that say the same in a row are one record (vtb/events.h). */
void vtb_sched_tell_ready(unsigned kind, const struct vtb_rt_thread *of, uint64_t arg);
/** Where t stands at the end of the run, or of its part in it. */
void vtb_sched_tell_pending(const struct vtb_rt_thread *t);
/** The call stack of `owner` in STACK records among those of `t`, which goes on. `flags`: VTB_REC_VALUE if it is that
 * of the PENDING record before. */
void vtb_sched_tell_stack(struct vtb_rt_thread *t, const struct vtb_rt_thread *owner, uint64_t pc, unsigned flags);
/** Are all others gone by t's own doing, or before it by what others did: ended and, where runs are controlled, joined?
 * O(threads). */
bool vtb_sched_alone(const struct vtb_rt_thread *t);
/** Append a record about thread `t` that is not one of its operations. */
void vtb_sched_fact(unsigned kind, const struct vtb_rt_thread *t, uint64_t addr, uint64_t pc, uint64_t value,
                    uint64_t arg);

/* ---- ready.c: who can go on. Costs are in what an operation changes; n below is the number of threads */
/** A schedule begins; so many entries in its list of ranks, so many demotions. Threads that are enabled stay so. */
void vtb_ready_begin(uint64_t listed, uint64_t demotions);
void vtb_ready_change(struct vtb_rt_thread *t);
/** O(1), like all of these. */
static inline void vtb_ready_set(struct vtb_rt_thread *t, bool enabled)
{
	if (t->sched.enabled != enabled)
		vtb_ready_change(t);
}
/** Move t in the order of ranks. */
void vtb_ready_rank(struct vtb_rt_thread *t, uint64_t place);
/** The schedule is another one in the middle of a run, and goes by ranks; beyond those listed there are none. */
void vtb_ready_by_rank(void);
/** The best-ranked enabled thread, NULL if there is none; the best one other than t. */
struct vtb_rt_thread *vtb_ready_best(void);
struct vtb_rt_thread *vtb_ready_best_but(struct vtb_rt_thread *t);
static inline uint32_t vtb_ready_count(void)
{
	return vtb_ready_n;
}
/** The nth enabled one (from 0) in order of creation; n < count. O(n / 64). */
struct vtb_rt_thread *vtb_ready_nth(uint32_t n);
const uint64_t *vtb_ready_slots(void); /* a bit each, by slot */
/** Can t do the operation that it is at? Notes a change. */
void vtb_ready_update(struct vtb_rt_thread *t);
bool vtb_ready_possible(const struct vtb_rt_thread *t); /* likewise, but for spinning */
void vtb_ready_wait(struct vtb_rt_thread *t);
void vtb_ready_wait_no_more(struct vtb_rt_thread *t);
/** The running thread t hands over, at t->sched.call; and is back. */
static inline void vtb_ready_leave_turn(struct vtb_rt_thread *t)
{
	if (t->sched.spinning || (t->sched.call->prim && t->sched.call->prim->ready))
		vtb_ready_wait(t);
}
static inline void vtb_ready_take_turn(struct vtb_rt_thread *t)
{
	if (t->sched.waits)
		vtb_ready_wait_no_more(t);
}
/** The running thread has done `call`: look at those again whose operations it may have made possible or impossible. */
void vtb_ready_after(const struct vtb_call *call);
/** Threads are held back: has the running thread changed what they wait for? O(those who wait for no one address). */
void vtb_ready_look_at_held(void);
/** Can an operation of the running thread on this object alone make none of the others possible or impossible? O(those
 * in its list). */
bool vtb_ready_alone_at(const void *object);
/** Look at all but the running one. O(n). */
void vtb_ready_look_at_all(void);

/* ---- schedule/schedule_follow.c: matching operations of the schedule */
/** The schedule in vtb_sched is a new one. O(its size). */
void vtb_schedule_begin(void);
/** Another schedule with the same ranks: find the paths of the threads that are there. */
void vtb_schedule_bind(void);
/** t has just been created: find its path and rank. */
void vtb_schedule_born(struct vtb_rt_thread *t, const struct vtb_rt_thread *parent);
/** Place of the next fragment (DEMOTE) in the order of ranks. */
uint64_t vtb_schedule_fragment(void);
/** The next open deviation of one of `kinds` (bit mask of 1 << kind) at t's present point, or NULL. It is not yet
 * marked. */
const struct vtb_wire_deviation *vtb_schedule_deviation(const struct vtb_rt_thread *t, uint32_t kinds);
/** Operations that t may do before it comes to a point for which the schedule has a deviation, at most n. */
uint64_t vtb_schedule_distance(const struct vtb_rt_thread *t, uint64_t n);
/** d is over: made, or (`made` false) its place was reached and it was impossible, which makes the run diverged. */
void vtb_schedule_deviated(const struct vtb_wire_deviation *d, bool made);
/** May `t` do the operation it is at, as far as constraints are concerned? */
bool vtb_schedule_allows(const struct vtb_rt_thread *t);
bool vtb_schedule_blocks(void); /* is a thread in the way of which only they stand? O(threads) */
/** `t` has done `call` as its operation number t->sched.ops. Call it if by_site. */
void vtb_schedule_count(const struct vtb_rt_thread *t, const struct vtb_call *call);
struct vtb_rt_thread *vtb_schedule_thread(uint32_t path);

extern const struct vtb_rt_sink vtb_sched_sink;
void vtb_sched_stream_used(void);

/* ---- cancel.c */
/** Act on a pending cancellation of the calling thread, if it is enabled; may not return. */
void vtb_cancellation_point(struct vtb_rt_thread *t);
/** The same for a thread of asynchronous type: called wherever another thread may have run in between. */
void vtb_cancel_async(struct vtb_rt_thread *t);

/** t stands in no queue any more (models/queue.c). */
static inline void vtb_queue_leave(struct vtb_rt_thread *t)
{
	t->sched.queue = NULL;
	t->sched.signalled = t->sched.spurious = false;
}

/* ---- endless.c */
enum vtb_endless {
	VTB_MAY_END,    /* or nobody can tell */
	VTB_NEVER_ENDS, /* it comes to no return, and calls nothing but hooks */
	VTB_STUCK,      /* and not even those: it does no operation any more, unless a handler takes it out */
};
/** What comes of a thread at this instruction? O(instructions^2), at most 96. */
enum vtb_endless vtb_endless(uint64_t pc);

/* ---- watchdog.c */
void vtb_watchdog_start(void); /* for this process */

/* ---- vtime.c: virtual time */
/** With VTB_OPT_REAL_TIME: see what time it is. */
void vtb_time_look(void);
/** The same at a schedule point: deadlines and timers may be over. */
void vtb_time_goes_on(void);
/** Nobody can go on: move the clock to the next deadline. False if there is none. */
bool vtb_time_pass(void);
/** Time is about to pass, for nobody can go on: ends the run if nothing else has happened for too long. O(threads). */
void vtb_time_alone(void);
/** The same where t has read the clock, and that has moved it as far as a look ever does. O(threads). */
void vtb_time_read_alone(const struct vtb_rt_thread *t);
/** That deadline, UINT64_MAX: there is none. */
uint64_t vtb_time_next(void);
/* tsc.c */
/** A run begins: instructions that read the processor's clock fault from now on, if the tool has found some. */
void vtb_tsc_begin(void);
void vtb_tsc_go_on(void), vtb_tsc_end(void); /* likewise, in the middle of one that was kept; the run is over */
/** No longer, for a process is about to be made, or the program handles faults itself: what it then reads is noted. */
void vtb_tsc_release(void);
/** A fault that is a question of the program's (tsc.c): answered? NULL: there are none. */
extern bool (*vtb_failure_answer)(const siginfo_t *info, greg_t *g);

/** An operation with a deadline begins: say in the outcome that this may pass in another order, where others live. */
void vtb_time_limits(const struct vtb_rt_thread *t, const struct vtb_call *call);
/** clock_gettime: true if the clock is virtual, *ret what it shows. */
bool vtb_ctl_clock_gettime(clockid_t clock, struct timespec *ret);
/** Virtual nanoseconds at which the clock shows `until`; 0: never. */
uint64_t vtb_time_at(clockid_t clock, const struct timespec *until);
/** Likewise for a wait of pthreads; VTB_NOT_A_TIME: it says EINVAL, as such a wait takes no more than two clocks and
 * 999999999 nanoseconds. */
uint64_t vtb_ctl_deadline(clockid_t clock, const struct timespec *until);
#define VTB_NOT_A_TIME (UINT64_MAX - 1)
/** For those who say EINVAL otherwise. */
static inline bool vtb_time_is_valid(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}
static inline bool vtb_time_over(const struct vtb_rt_thread *t)
{
	return t->sched.deadline && vtb_sched.now >= t->sched.deadline;
}

/* ---- deadlock.c */
/** Nobody can go on and no time will help: say why and end the run. */
_Noreturn void vtb_deadlock(void);
bool vtb_deadlock_circle(void); /* of threads, each of which waits for what the next one holds */
/** A wake-up there reached nobody. `state` tells whether somebody may still wait for it (a futex's value, else 0). */
void vtb_deadlock_note_lost(const void *object, uint64_t state);

/* ---- failure.c */
/** A fault that the runtime itself has caused, or answers: `context` goes on. False: it is the program's. */
bool vtb_failure_is_own(int signal, const siginfo_t *info, void *context);
/** Is it a signal by which a program fails? */
bool vtb_failure_handles(int signal);
/** What the kernel calls at such a signal: end the run, or go on where a fault was the runtime's own. */
void vtb_failure_handle(int signal, siginfo_t *info, void *context);
#define VTB_FAILURE_FLAGS (SA_ONSTACK | SA_SIGINFO | SA_NODEFER)
void vtb_failure_thread(void); /* alternate stack for the calling kernel thread */
/** The object of the operation was used against its rules: the run ends. Returns if it is to go on (VTB_SCHED_PAST): do
 * then what libc does. */
void vtb_misuse(const struct vtb_call *call, const char *message);
/** End the process with this outcome, without running the program's own clean-up. */
_Noreturn void vtb_failure_end(enum vtb_verdict verdict, int signal, uint64_t pc, uint64_t fault, const char *message);
/** The thread makes a system call, at these registers, that leads where no run can be controlled: the run ends with
 * VTB_V_LIMIT, at the program's line, however deep in libc the call is. `message`: what it is; what to do. */
_Noreturn void vtb_failure_call(greg_t *g, const char *message);

/** Always ready, without an effect. */
extern const struct vtb_primitive vtb_primitive_always;

/* ---- helpers for the models */
static inline long vtb_op(struct vtb_rt_thread *t, const struct vtb_primitive *prim, unsigned kind, const void *obj)
{
	struct vtb_call call = { .prim = prim, .kind = (uint8_t)kind, .obj = obj, .pc = t->base.pc };

	return vtb_ctl_op(t, &call);
}

#endif /* VTB_RT_SCHEDULER_H */
