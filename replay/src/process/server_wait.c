/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for the program, with a watchdog: it may hang, die, or kill the one it should report to. */
#include "server.h"

#include "futex.h"
#include "stuck.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TICK_MSEC 20u         /* how long a dead server may go unnoticed */
#define START_MSEC 30000u     /* from exec to main: libraries, constructors */
#define AFTER_KILL_MSEC 2000u /* a server has so long to report the end of a run that we killed */
#define AFTER_DONE_MSEC 500u  /* a process has so long to end after its run is over (engine exec) */

/* 0, -EINTR or -ECANCELED. */
static int stopped(const struct server *s)
{
	return vtb_stop_check(s->opts.stop, true);
}

/* SERVER_DIED if the launched process has ended, with its status; else -1. */
static int look_after_child(const struct server *s, int *ret_status, int *ret_signal)
{
	return vtb_child_poll(&s->child, ret_status, ret_signal) == VTB_CHILD_ENDED ? SERVER_DIED : -1;
}

int vtb_server_wait_start(struct server *s, int *ret_status, int *ret_signal)
{
	const uint32_t *state = &s->block.header->state;
	const uint64_t limit = vtb_now_msec() + (s->opts.timeout_msec > START_MSEC ? s->opts.timeout_msec : START_MSEC);
	int r;

	for (;;) {
		if (__atomic_load_n(state, __ATOMIC_ACQUIRE) != VTB_STATE_NEW)
			return SERVER_DONE;
		if (look_after_child(s, ret_status, ret_signal) == SERVER_DIED)
			return SERVER_DIED;
		r = stopped(s);
		if (r < 0)
			return r;
		if (vtb_now_msec() > limit)
			return SERVER_HUNG;
		vtb_futex_wait(state, VTB_STATE_NEW, TICK_MSEC);
	}
}

/* The names that a run has made outside of a private view are removed by the server, if it is asked to end. */
static void let_remove(const struct server *s)
{
	struct vtb_wire_header *h = s->block.header;
	const uint64_t limit = vtb_now_msec() + AFTER_KILL_MSEC;
	int status, signal;

	if (!h || !s->child.pid || s->opts.engine != VTB_ENGINE_FORKSERVER || !s->opts.view ||
	    s->opts.view->plan.flags || __atomic_load_n(&h->state, __ATOMIC_ACQUIRE) != VTB_STATE_RUNNING)
		return;
	__atomic_store_n(&h->stop, 1, __ATOMIC_SEQ_CST);
	vtb_futex_wake(&h->posted);
	while (__atomic_load_n(&h->state, __ATOMIC_ACQUIRE) == VTB_STATE_RUNNING && vtb_now_msec() < limit &&
	       look_after_child(s, &status, &signal) != SERVER_DIED)
		vtb_futex_wait(&h->state, VTB_STATE_RUNNING, 1);
}

void vtb_server_end_child(struct server *s)
{
	let_remove(s);
	vtb_child_end(&s->child);
}

#define IMPATIENT_TIMES \
	50u /* once a run had to be stopped, the next ones get so many times the longest run that ended, */
#define IMPATIENT_MSEC \
	1000u /* but at least this: a batch of runs without an end must not take a batch of time limits */

static uint64_t limit_of(const struct server *s)
{
	uint64_t limit = (uint64_t)IMPATIENT_TIMES * s->longest_msec;

	limit = limit < IMPATIENT_MSEC ? IMPATIENT_MSEC : limit;
	return s->impatient && limit < s->opts.timeout_msec ? limit : s->opts.timeout_msec;
}

static void note_time(struct server *s, uint64_t took)
{

	if (took > s->longest_msec)
		s->longest_msec = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

/* How long the oldest slot has been where it is. */
struct watchdog {
	uint32_t state, pid, runs_done; /* seen last */
	uint64_t since;                 /* msec */
	bool killed;
};

/* Kill the process that runs the slot, if it is one of the server's: the number comes from memory that the program can
 * write. */
static void kill_run(const struct server *s, uint32_t pid)
{
	if (pid > 1 && pid != (uint32_t)s->child.pid && getpgid((pid_t)pid) == s->child.pid)
		kill((pid_t)pid, SIGKILL);
}

/* True when the server itself has to go. */
static bool watchdog_bites(struct watchdog *w, struct server *s, const struct vtb_wire_slot *slot, uint32_t state)
{
	const uint32_t pid = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);
	const uint32_t runs_done = __atomic_load_n(&slot->runs_done, __ATOMIC_ACQUIRE);
	const uint64_t now = vtb_now_msec();
	uint64_t spent;

	if (state != w->state || pid != w->pid || runs_done != w->runs_done) {
		w->state = state;
		w->pid = pid;
		w->runs_done = runs_done;
		w->since = now;
	}
	spent = now - w->since;
	if (spent <= limit_of(s) && !w->killed)
		return false;
	if (!w->killed)
		s->stopped_msec = (uint32_t)limit_of(s);
	if (state == VTB_SLOT_RUNNING && pid && !w->killed) {
		w->killed = true;
		vtb_stuck_describe((pid_t)pid, s->stuck, sizeof(s->stuck));
		kill_run(s, pid);
	}
	return spent > limit_of(s) + AFTER_KILL_MSEC;
}

#define SPINS 700      /* about 45 us with the yields: a run of a small program is over by then */
#define YIELD_EVERY 16 /* looks: with several jobs there are more of us than processors */
#define VAIN_MOST 5u   /* more waits that were longer than that were not: each halves the looks of the next one, */
#define ASK_AGAIN 64u  /* and every so many it is tried whether they have become short */

static bool can_spin(void)
{
	static int processors;
	cpu_set_t set;

	if (!processors)
		processors = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
	return processors > 1;
}

/* A run that is rolled back may take a microsecond: look for a while, unless that has been in vain of late. */
static bool changes_soon(struct server *s, const uint32_t *word, uint32_t value)
{
	const int looks = !can_spin() ? 0 : ++s->waits % ASK_AGAIN ? SPINS >> s->spun_in_vain : SPINS;

	for (int i = 0; i < looks; i++) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
			s->spun_in_vain -= s->spun_in_vain > 0;
			return true;
		}
		if (i % YIELD_EVERY == YIELD_EVERY - 1)
			sched_yield();
		else
			__builtin_ia32_pause();
	}
	s->spun_in_vain += s->spun_in_vain < VAIN_MOST;
	return false;
}

/* Sleep, and say so: only then are we woken. */
static void wait_change(struct server *s, const uint32_t *word, uint32_t value)
{
	struct vtb_wire_header *h = s->block.header;

	__atomic_store_n(&h->waiting, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value)
		vtb_futex_wait(word, value, TICK_MSEC);
	__atomic_store_n(&h->waiting, 0, __ATOMIC_SEQ_CST);
	vtb_server_limit_output(s);
}

/* A server that runs schedules in its own process, or that does not report. */
static int hung(struct server *s)
{
	s->impatient = true;
	s->stopped_msec = (uint32_t)limit_of(s);
	if (!s->stuck[0])
		vtb_stuck_describe(s->child.pid, s->stuck, sizeof(s->stuck));
	return SERVER_HUNG;
}

static int wait_slot(struct server *s, struct vtb_wire_slot *slot, bool *ret_killed, int *ret_status, int *ret_signal)
{
	const uint64_t began = vtb_now_nsec();
	struct watchdog w = { .since = began / 1000000u };
	uint64_t took;
	int end = -1;

	while (end < 0) {
		const uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);

		if (state == VTB_SLOT_DONE)
			end = SERVER_DONE;
		else if (changes_soon(s, &slot->state, state))
			continue;
		else if (stopped(s) < 0)
			return stopped(s);
		else if (look_after_child(s, ret_status, ret_signal) == SERVER_DIED)
			end = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == VTB_SLOT_DONE ? SERVER_DONE
			                                                                       : SERVER_DIED;
		else if (vtb_server_room_is_full(s)) /* what it has started may write on: all have to go */
			end = SERVER_HUNG;
		else if (watchdog_bites(&w, s, slot, state))
			end = hung(s);
		else
			wait_change(s, &slot->state, state);
	}
	*ret_killed = w.killed;
	s->impatient |= w.killed;
	took = vtb_now_nsec() - began;
	s->waited_nsec += took;
	if (end == SERVER_DONE && !w.killed)
		note_time(s, took / 1000000u);
	return end;
}

int vtb_server_wait_slot(struct server *s, struct vtb_wire_slot *slot, bool *ret_killed, int *ret_status,
                         int *ret_signal)
{
	*ret_killed = false;
	return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == VTB_SLOT_DONE
	           ? SERVER_DONE
	           : wait_slot(s, slot, ret_killed, ret_status, ret_signal);
}

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Sleep until the process ends or a tick has passed. */
static void wait_for_end(int pidfd, uint32_t msec)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	poll(&p, pidfd >= 0, (int)msec);
}

int vtb_server_wait_process(struct server *s, struct vtb_wire_slot *slot, bool *ret_killed, int *ret_status,
                            int *ret_signal)
{
	const uint64_t began = vtb_now_msec();
	const int pidfd = open_pidfd(s->child.pid);
	uint64_t done_at = 0;
	int end = -1;

	while (end < 0) {
		const uint64_t now = vtb_now_msec();

		if (look_after_child(s, ret_status, ret_signal) == SERVER_DIED) {
			end = SERVER_DIED;
		} else if (stopped(s) < 0) {
			end = stopped(s);
			break;
		} else if (!done_at && __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == VTB_SLOT_DONE) {
			done_at = now;
		} else if (vtb_server_room_is_full(s)) {
			*ret_killed = true;
			end = SERVER_HUNG;
		} else if (done_at ? now - done_at > AFTER_DONE_MSEC : now - began > limit_of(s)) {
			*ret_killed = true;
			s->stopped_msec = (uint32_t)limit_of(s);
			vtb_stuck_describe(s->child.pid, s->stuck, sizeof(s->stuck));
			end = SERVER_HUNG;
		} else {
			wait_for_end(pidfd, pidfd >= 0 ? TICK_MSEC : 1);
		}
		vtb_server_limit_output(s);
	}
	if (pidfd >= 0)
		close(pidfd);
	s->impatient |= end == SERVER_HUNG && !done_at && !s->room_full;
	if (done_at)
		note_time(s, vtb_now_msec() - began);
	return end;
}
