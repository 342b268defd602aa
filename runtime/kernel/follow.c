/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "child_files.h"
#include "models.h"
#include "signals.h"
#include "syscalls.h"

enum side { PARENT, CHILD };
#define LOOK_NSEC 20000000 /* between two looks at whether the other process is still there */
#define SINK_WORDS 512u

/* In memory that both share. */
static struct pair {
	uint32_t turn; /* enum side; a futex word */
	uint32_t ended[2];
	uint32_t pid[2];    /* 0: not there yet */
	uint64_t points[2]; /* when it gave the turn away */
} * F;

/* Of each process. */
static bool paired;
static enum side side;
static uint32_t forks; /* by the process in control */
static uint64_t seen;  /* the other's points when it gave us the turn */

/* ---- the turn */

static bool is_there(enum side other)
{
	siginfo_t info = { 0 };

	if (other == PARENT)
		return (uint32_t)sys3(SYS_getppid, 0, 0, 0) == F->pid[PARENT];
	if (!F->pid[CHILD]) /* perhaps fork() has failed */
		return sys6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0;
	return sys6(SYS_waitid, P_PID, F->pid[CHILD], (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0 &&
	       !info.si_pid;
}

static void wait_for_turn(void)
{
	const struct timespec look = { .tv_nsec = LOOK_NSEC };
	uint32_t turn;

	while ((turn = __atomic_load_n(&F->turn, __ATOMIC_ACQUIRE)) != side && !F->ended[!side]) {
		sys6(SYS_futex, (long)&F->turn, FUTEX_WAIT, turn, (long)&look, 0, 0);
		if (!is_there(!side))
			F->ended[!side] = 1;
	}
	seen = F->points[!side];
}

static void give_turn(void)
{
	F->points[side] = vtb_sched.points;
	__atomic_store_n(&F->turn, !side, __ATOMIC_RELEASE);
	sys_futex_wake(&F->turn, 1);
}

bool vtb_follow_other(void)
{
	const uint64_t before = seen;

	if (!paired || F->ended[!side])
		return false;
	give_turn();
	wait_for_turn();
	return F->ended[!side] || seen != before;
}

bool vtb_follow_dead_end(void)
{
	const uint64_t before = seen;

	if (!paired || side == CHILD || F->ended[CHILD])
		return false;
	while (!F->ended[CHILD] && seen == before) {
		give_turn();
		wait_for_turn();
	}
	return true;
}

uint32_t vtb_follow_partner(void)
{
	return paired && !F->ended[!side] ? F->pid[!side] : 0;
}

void vtb_follow_ends(void)
{
	struct vtb_wire_outcome *o = &vtb_sched.slot->outcome;

	if (!paired)
		return;
	if (side == CHILD && o->verdict == VTB_V_NONE)
		o->exit_status = (uint32_t)vtb_sched.status & 255u;
	F->ended[side] = 1;
	give_turn();
	if (side == PARENT) /* who waits for us takes our end for the run's */
		while (!F->ended[CHILD])
			wait_for_turn();
}

/* ---- the parent from then on */

static void step_aside(void)
{
	static struct vtb_wire_slot slot;
	static struct vtb_wire_schedule schedule;
	static uint64_t sink[SINK_WORDS]; /* what does not fit is lost, which nobody will see */

	slot = *vtb_sched.slot;
	schedule = *vtb_sched.schedule;
	schedule.policy = VTB_POLICY_RUN_TO_BLOCK;
	schedule.deviations = schedule.constraints = 0;
	vtb_sched.slot = &slot;
	vtb_sched.schedule = &schedule;
	vtb_sched.first_open = 0;
	vtb_ready_by_rank();
	vtb_sched.stream.next = sink;
	vtb_sched.stream.end = sink + SINK_WORDS;
	vtb_sched.aside = true;
}

/* ---- the child: of all threads only the one that forks is there */

static void forget_others(struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *other = vtb_rt.threads[i];

		if (other == t || other->base.state != VTB_T_ALIVE)
			continue;
		vtb_sched_tell_pending(other);                 /* it might have come before the fork, */
		if (other->sched.enabled && other->sched.call) /* and not before what the child does */
			vtb_sched_tell_ready(VTB_E_BLOCK, other, other->sched.call->kind);
		vtb_ready_take_turn(other); /* out of the lists of those who wait */
		vtb_ready_set(other, false);
		other->base.state = VTB_T_FREE;
		other->sched.call = NULL;
		other->sched.queue = NULL;
	}
	vtb_walk_look_at_all();
}

static void take_control(struct vtb_rt_thread *t)
{
	side = CHILD;
	paired = true;
	F->pid[CHILD] = (uint32_t)sys3(SYS_getpid, 0, 0, 0);
	seen = F->points[PARENT];
	vtb_rt_uncontrolled(VTB_UNC_ASIDE);
	vtb_sched.slot->outcome.flags |= VTB_OUT_FOLLOWED;
	forget_others(t);
	vtb_carrier = vtb_carrier->forked; /* libc has taken the pool's stacks back */
	t->sched.kernel_id = (int)F->pid[CHILD];
	vtb_signals_forked();
	vtb_timers_forked();
	vtb_failure_thread();
	vtb_syscalls_forget();
	vtb_sched.catches = !vtb_syscalls_catch(false);
	vtb_watchdog_start();
}

static bool on_its_own;

/* A forked process that nobody follows: it is on its own. */
static void let_go(void)
{
	on_its_own = true;
	vtb_rt_uncontrolled(VTB_UNC_FORK); /* noted in the shared outcome */
	vtb_sched.active = false;          /* its system calls do not trap */
	vtb_rt.mode = VTB_MODE_OFF;
	vtb_fault_handlers_end(); /* it dies, or not, as it would */
	vtb_signals_kept_end();
	vtb_self = NULL;
	vtb_child_files_forked();
}

/* ---- fork() */

/* Is it the one whose child is controlled from there on? */
static bool is_followed(void)
{
	return F && !paired && forks + 1 == vtb_rt.block->follow;
}

static const struct vtb_primitive primitive_fork = { "fork", NULL, NULL, NULL, true, NULL };

/* Threads fork at the same time: another one may have its turn until this one's copy is made. So each keeps for itself
 * where it is. */
enum vtb_forking { NO_FORK, FORKS_ALONE, FORKS_ALONG };

/* Where the caller is; NO_FORK for threads that nobody knows. */
static enum vtb_forking now_at(enum vtb_forking next)
{
	const enum vtb_forking was = vtb_self ? (enum vtb_forking)vtb_self->kernel.forking : NO_FORK;

	if (vtb_self)
		vtb_self->kernel.forking = (uint8_t)next;
	return was;
}

static bool left; /* a process was forked that goes its own way */

/* Before libc takes its own locks. */
static void before(void)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	struct vtb_call call = { .prim = &primitive_fork, .kind = VTB_E_FORK };

	now_at(FORKS_ALONE);
	if (vtb_carrier->about_to_fork)
		vtb_carrier->about_to_fork();
	if (!t || !vtb_rt_controls() || !vtb_sched.active)
		return;
	call.pc = t->base.pc;
	vtb_ctl_arrive(t, &call);
	call.value = is_followed();
	call.has_value = call.value != 0;
	vtb_ctl_done(t, &call);
	vtb_stretch_end(); /* nobody may be writing to the events when there are two of us */
	if (!F || paired || ++forks != vtb_rt.block->follow)
		return;
	now_at(FORKS_ALONG);
	F->turn = CHILD;
	F->pid[PARENT] = (uint32_t)sys3(SYS_getpid, 0, 0, 0);
	F->points[PARENT] = vtb_sched.points;
}

static void in_parent(void)
{
	const enum vtb_forking was = now_at(NO_FORK);

	left |= was == FORKS_ALONE && vtb_sched.active;
	if (was == FORKS_ALONG) {
		step_aside();
		side = PARENT;
		paired = true;
		wait_for_turn();
	}
	if (was == FORKS_ALONE && vtb_sched.active)
		vtb_children_rest();
	vtb_syscalls_on(vtb_sched.active && vtb_sched.catches);
}

static void in_child(void)
{
	if (now_at(NO_FORK) == FORKS_ALONG)
		take_control(vtb_self);
	else
		let_go();
}

void vtb_follow_sets_timer(void)
{
	if (on_its_own)
		vtb_rt_uncontrolled(VTB_UNC_CHILDREN);
}

void vtb_follow_calls(long number)
{
	if (number == SYS_alarm || number == SYS_setitimer)
		vtb_follow_sets_timer();
}

void vtb_follow_install(void)
{
	pthread_atfork(before, in_parent, in_child);
}

bool vtb_follow_forks(void)
{
	return vtb_self && vtb_self->kernel.forking != NO_FORK;
}

bool vtb_follow_left(void)
{
	return left;
}

void vtb_follow_begin(void)
{
	if (vtb_rt.block->follow)
		F = vtb_shared_pages(sizeof(*F));
}
