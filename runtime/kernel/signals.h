/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file signals.h
 * Signals as part of the schedule. Between the program's own threads nothing goes through the kernel:
 *
 *     kill, tgkill, sigqueue, timers ──► pending (of a thread or of the process)
 *         ├─ somebody waits for it (sigwait, a read of a signalfd) ──► that operation takes it
 *         ├─ its receiver blocks it                    ──► it stays
 *         └─ else the receiver's next operation is to handle it: SIGNAL_HANDLE, then the handler's own operations
 *
 * A thread has its signal where its sender finds it, so where the handler runs is a matter of thread switches. A signal
 * to the process goes to the first thread that does not block it, a timer's comes when nobody can go on before; that
 * another thread has it, or that it comes earlier, are deviations (VTB_DEV_SIGNAL). Handlers run as the kernel runs
 * them: when it is their thread's turn, the signal is sent to that thread itself.
 */
#ifndef VTB_RT_SIGNALS_H
#define VTB_RT_SIGNALS_H

#include <signal.h>

#include "scheduler.h"
#include "syscalls.h"

#define VTB_SIGNAL_PROCESS VTB_NO_PATH /* sent to the process, not to one thread */

/** As the kernel's rt_sigaction has it. */
struct vtb_action {
	void (*handler)(int);
	uint64_t flags;
	void *restorer;
	uint64_t mask;
};

/* ---- fault_handlers.c: faults of the runtime's own reads are not the program's */
/** Change what the kernel gets: what the program wants at `signal` happens at the program's faults only. */
void vtb_fault_handlers_enter(int signal, struct vtb_action *a);
/** Change what the kernel has back to what the program has set. */
void vtb_fault_handlers_tell(int signal, struct vtb_action *a);
/** From here on the process has no handlers but the program's. */
void vtb_fault_handlers_end(void);

/** What the program has set at a signal that is kept (vtb_signals_keep()); false: it is not. */
bool vtb_signals_tell_kept(int signal, struct vtb_action *ret);
/** A call of rt_sigaction for a signal that is kept: answer it, and return true. */
bool vtb_signals_set_kept(const greg_t *g, long *ret_result);

/** Somebody has looked, or changed, which of the set are pending for whom: whatever sends one from here on counts as
 * seen by all. */
void vtb_signals_asked_about(uint64_t set);
/** The same, if there has been a second thread. */
void vtb_signals_opened(uint64_t set);
/** Will it, sent now, become pending and nothing else, also if it came earlier: has no thread been open to it since
 * there was a second one? Then only who takes signals, or reads, may tell when it came. */
bool vtb_signals_only_pends(int signal, uint32_t slot);
#define VTB_SIGNAL_PENDS 0x100u /* added to the number in SIGNAL_SEND */
/** In a forked child: nothing is pending. */
void vtb_signals_forked(void);
/** t's mask at its start: its creator's (NULL: the process's). */
void vtb_signals_inherit(struct vtb_rt_thread *t, const struct vtb_rt_thread *creator);
/** A signal comes to be: to the thread of `slot` or to the process. `info` is copied. The caller looks again who can go
 * on. 0 or -EAGAIN. */
int vtb_signals_generate(int signal, const siginfo_t *info, uint32_t slot);
/** The thread is chosen and t->sched.interrupted: its next signal is handled before, or instead of (call->interrupted),
 * its operation. */
void vtb_signals_handle(struct vtb_rt_thread *t, struct vtb_call *call);
/** A signal that could come to t now, but by default comes later or to somebody else, comes to t. False if there is
 * none. */
bool vtb_signals_early(struct vtb_rt_thread *t);
/** Masks, timers or threads have changed: who is to be interrupted? */
void vtb_signals_update(void);
/** After an operation: say in the events who may have a signal earlier from here on. */
void vtb_signals_tell(void);
/** A mask has changed, or a thread is gone: both, so that what may come is told before the next operation. O(threads)
 * while a signal is pending or a timer armed. */
void vtb_signals_changed(void);
/** Who takes a signal to the process: the first thread that does not block it, or NULL. */
struct vtb_rt_thread *vtb_signals_receiver(int signal);

/** t's mask is `mask` until the next call of this; returns the one before. */
uint64_t vtb_signals_set_mask(struct vtb_rt_thread *t, uint64_t mask);
/** t's rt_sigprocmask call has been made: take note, deliver what is no longer blocked. `old` is its mask before the
 * call. */
void vtb_signals_mask_called(struct vtb_rt_thread *t, const greg_t *g);
/** t takes the next pending signal of the set: its number; 0: none is there. */
int vtb_signals_take(const struct vtb_rt_thread *t, uint64_t set, siginfo_t *ret);
/** It is pending no more, for nobody. */
void vtb_signals_forget(int signal);
/** What t has blocked and is there for it. */
uint64_t vtb_signals_pending(const struct vtb_rt_thread *t);
/** Is there one for t? */
bool vtb_signals_any(const struct vtb_rt_thread *t, uint64_t set);
/** How many of them are pending for t that go to no handler, as nobody who could have them is open to them; which these
 * are. */
uint64_t vtb_signals_unreceived(const struct vtb_rt_thread *t, uint64_t set, uint64_t *ret_set);

/* ---- processes/signal_wait.c */
/** Does a thread wait for it that may have it, sent to `slot`? */
bool vtb_signals_waited_for(int signal, uint32_t slot);
/** The call rt_sigtimedwait: the signal, or an error. */
long vtb_signals_wait(struct vtb_rt_thread *t, const greg_t *g);
/** Wait with this mask until a handler has run: -EINTR. */
long vtb_signals_pause(struct vtb_rt_thread *t, uint64_t mask);
/** A call that sends, waits for or asks about signals. False: not about this process, make it. */
bool vtb_signals_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);

/* ---- processes/signal_actions.c */
/** What is to happen at the signal now. */
struct vtb_action vtb_signal_action(int signal);
/** Is nothing to happen? */
bool vtb_signal_ignored(const struct vtb_action *a, int signal);
/** Is the process to stop? */
bool vtb_signal_stops(const struct vtb_action *a, int signal);
/** Is it to end, as no handler was set? */
bool vtb_signal_ends_process(int signal);
/** Does this rt_sigaction call set a handler of the program's? */
bool vtb_signals_sets_handler(const greg_t *g);
/** rt_sigaction() is about to be made: note what it does to handlers and to what is pending. */
void vtb_signals_note_action(const greg_t *g);
/** The signal that is ignored from this rt_sigaction call on, or 0. */
int vtb_signals_begins_to_ignore(const greg_t *g);
/** Make an rt_sigaction call; the runtime's own signals are left out of the mask that the kernel gets. Its result. */
long vtb_signals_set_action(const greg_t *g);
/** One has come to be. */
void vtb_signals_note_come(int signal);
/** t looks at which of the set are pending, or changes that: an operation, if any of them has come to be in this run.
 */
void vtb_signals_looked_at(struct vtb_rt_thread *t, uint64_t set);

/** What has become possible for t is handled before its call returns. */
void vtb_signals_deliver(struct vtb_rt_thread *t);

/* ---- signal_send.c */
bool vtb_signals_send_call(struct vtb_rt_thread *t, const greg_t *g, long *ret);
/** If t aborts, and its handler of that has the program ended as without one: the run ends with what was said first. */
void vtb_signals_end_aborted(const struct vtb_rt_thread *t, int signal, const struct vtb_action *a);

/* ---- timers.c: timer_create, timerfd, alarm, setitimer in virtual time */
/** In a forked child: only timers behind descriptors are left. */
void vtb_timers_forked(void);
/** When the next timer is due, UINT64_MAX if none is armed. */
uint64_t vtb_timers_next(void);
/** Those that are due by now go off. */
void vtb_timers_fire(void);
/** The timer that will send t a signal goes off now. False if there is none. */
bool vtb_timers_early(struct vtb_rt_thread *t);
/** The number of the signal that an armed timer will send to t, or 0; SIGALRM, too, if t looks at a timer descriptor.
 */
int vtb_timers_due(const struct vtb_rt_thread *t);
/** t's next operation sees, without waiting, whether the timer that is due then has gone off: it might have. */
void vtb_signals_look_at_timer(struct vtb_rt_thread *t, uint64_t due);
/** When the next timer is due that sends one of a set of signals; 0: none. */
uint64_t vtb_timers_due_for(uint64_t signals);
/** alarm, setitimer, timerfd_*. False: make the call. */
bool vtb_timers_call(const greg_t *g, long *ret);
/** When the timer behind the descriptor is due; 0: not armed, or no timer. */
uint64_t vtb_timers_due_at(int fd);
/** Likewise the earliest of those that were added to this epoll descriptor. */
uint64_t vtb_timers_due_in(int epoll);
/** Is it a timer behind a descriptor? */
bool vtb_timers_is(int fd);
/** An epoll_ctl call has been made. */
void vtb_timers_epoll(const greg_t *g);
/** The descriptor is closed. */
void vtb_timers_closed(int fd);

/* ---- signalfd.c */
/** Is there one with this signal in its set? */
bool vtb_signalfd_has(int signal);
/** The call signalfd or signalfd4. False: make it, it is refused. */
bool vtb_signalfd_set(const greg_t *g, long *ret);
/** The descriptor is closed. */
void vtb_signalfd_closed(int fd);
/** When the descriptor is ready by itself: the timer behind it is due, or one whose signal is read there; 0: never. */
uint64_t vtb_signalfd_due_at(int fd);
/** Likewise one of those that were added to this epoll descriptor; or whose signal is read at any. */
uint64_t vtb_signalfd_due_in(int epoll);
/** Is the descriptor one, or a copy of one? */
bool vtb_signalfd_is(int fd);
/** From here on each is ready if t can read from it. */
void vtb_signalfd_look_as(const struct vtb_rt_thread *t);
/** Call before a read is made. True: it was one of a signalfd, by t, which does not wait. */
bool vtb_signalfd_read(struct vtb_rt_thread *t, const greg_t *g, long *ret);

#endif /* VTB_RT_SIGNALS_H */
