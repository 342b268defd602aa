/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Child processes between the program's operations. No schedule says when they do something, so they go first: whatever
 * may have let them go on, the program does not before all of them have ended or wait. What they have done by then is
 * the same in each run, as far as it hangs on the program alone; a run in which one goes on for long, or waits for a
 * time, says so.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base.h"
#include "proc_text.h"
#include "syscalls.h"

#define EAGER 50u           /* looks of one wait between which no time is left */
#define TICK_NSEC 200000    /* then so much */
#define TICKS_MOST 1000u    /* of one run: a quarter of a second, as the system wakes who sleeps */
#define PROCESSES_MOST 128u /* children, and theirs */
#define NAME_BYTES 64u

bool vtb_children_made, vtb_children_fresh, vtb_children_late;

/* ---- who they are, and what they do; nobody else runs meanwhile */

static char entries[VTB_PROC_BYTES];
static pid_t list[PROCESSES_MOST];
static bool lives[PROCESSES_MOST]; /* of list: has it a task that has not ended? */
static uint32_t n_list;

struct look {
	bool runs, sleeps, blind;
	bool lives;     /* the one that was looked at last */
	uint64_t times; /* what they have run so far, of all of them: equal if none has run */
};

/* What the file of a task says; NULL: it is not there, or there is nothing in it. */
static const char *read_of(pid_t pid, const char *tid, const char *name)
{
	char path[NAME_BYTES + 64];

	vtb_proc_put(vtb_proc_task(path, pid, tid), name);
	return vtb_proc_read(path);
}

/* Siblings that were there before the program made a process; those that come later have lost their parent. */
static pid_t siblings[PROCESSES_MOST];
static uint32_t n_siblings;

static bool is_sibling(pid_t pid)
{
	bool found = pid == (pid_t)sys3(SYS_getpid, 0, 0, 0);

	for (uint32_t i = 0; i < n_siblings && !found; i++)
		found = siblings[i] == pid;
	return found;
}

/* The tool starts other runs besides, each of which leads a group. */
static bool is_of_other_run(pid_t pid)
{
	return vtb_rt.block->engine == VTB_ENGINE_EXEC && sys3(SYS_getpgid, pid, 0, 0) != sys3(SYS_getpgid, 0, 0, 0);
}

/* "12 345 " */
static void add_children(pid_t pid, const char *tid, bool all, struct look *l)
{
	const char *at = read_of(pid, tid, "/children");

	for (; at && *at >= '0' && *at <= '9'; at += *at == ' ') {
		const pid_t child = (pid_t)vtb_proc_number(&at);

		if (!all && (is_sibling(child) || is_of_other_run(child)))
			continue;
		if (n_list < PROCESSES_MOST)
			list[n_list++] = child;
		else
			l->blind = true;
	}
}

/* "12 (name) S ...", and the name may have any letter in it; 0: it has ended meanwhile. */
static char state_of(pid_t pid, const char *tid)
{
	char state = 0;

	for (const char *at = read_of(pid, tid, "/stat"); at && *at; at++)
		if (at[0] == ')' && at[1] == ' ')
			state = at[2];
	return state;
}

static void look_at_task(pid_t pid, const char *tid, struct look *l)
{
	const char state = state_of(pid, tid);
	const char *at;

	if (state == 'Z' || state == 'X') /* it has ended, and is as if it were not there, whoever waits for it when */
		return;
	l->lives |= state != 0;
	l->runs |= state == 'R' || state == 'D';
	if (state == 'S') {
		const enum vtb_child_waits waits = vtb_child_waits_in(pid, tid);

		l->sleeps |= waits == VTB_CHILD_WAITS_FOR_TIME;
		l->runs |= waits == VTB_CHILD_WAITS_FOR_US;
	}
	at = state ? read_of(pid, tid, "/schedstat") : NULL;
	if (at)
		l->times = l->times * 31 + vtb_proc_number(&at) + (uint64_t)pid;
}

struct entry {
	uint64_t inode, offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

enum who { OURS, PARENT, CHILD };

/* The tasks of a process: those of the program itself, and of its parent, only tell who their children are. */
static void look_at(pid_t pid, enum who who, struct look *l)
{
	char path[NAME_BYTES];
	const struct entry *e;
	long fd, n;

	vtb_proc_task(path, pid, "");
	fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0) {
		l->blind |= who == OURS;
		return;
	}
	while ((n = sys3(SYS_getdents64, fd, (long)entries, sizeof(entries))) > 0)
		for (long at = 0; at < n; at += e->size) {
			e = (const struct entry *)(const void *)&entries[at];
			if (e->name[0] == '.')
				continue;
			add_children(pid, e->name, who != PARENT, l);
			if (who == CHILD)
				look_at_task(pid, e->name, l);
		}
	sys3(SYS_close, fd, 0, 0);
}

static bool has_children(void)
{
	siginfo_t info;

	return sys6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0;
}

/* Blind, too, where /proc is of another view of the processes than ours. */
static struct look look(void)
{
	struct look l = { 0 };

	n_list = 0;
	look_at((pid_t)sys3(SYS_getpid, 0, 0, 0), OURS, &l);
	l.blind |= !n_list && has_children();
	look_at((pid_t)sys3(SYS_getppid, 0, 0, 0), PARENT, &l);
	for (uint32_t i = 0; i < n_list; i++) {
		l.lives = false;
		look_at(list[i], CHILD, &l);
		lives[i] = l.lives;
	}
	return l;
}

/* May a timer end the wait of one that the last look has found? */
static bool timers_are_set(void)
{
	bool r = false;

	for (uint32_t i = 0; i < n_list && !r; i++)
		r = lives[i] && vtb_child_may_have_timer(list[i]);
	return r;
}

/* What ends before its children do leaves them to the process that made this one, which reaps them for it. */
static void note_siblings(void)
{
	struct look l = { 0 };

	n_list = n_siblings = 0;
	look_at((pid_t)sys3(SYS_getppid, 0, 0, 0), PARENT, &l);
	memcpy(siblings, list, n_list * sizeof(*list));
	n_siblings = n_list;
}

void vtb_children_begin(void)
{
	if (!vtb_children_made)
		note_siblings();
	vtb_children_made = vtb_children_fresh = true;
}

/* ---- waiting */

static uint32_t ticks;       /* of this run */
static uint32_t ticks_alone; /* of those, while there was one thread, whose turn it is whatever they do */
static uint64_t rested;      /* look.times when they last were at rest */
static bool none;            /* they all have ended, and their children */

void vtb_children_not_decided(void)
{
	vtb_sched.slot->outcome.flags |= VTB_OUT_CHILDREN;
	vtb_rt_uncontrolled(VTB_UNC_CHILDREN);
}

static void leave_time(uint32_t looks, uint32_t *spent)
{
	const struct timespec tick = { .tv_nsec = TICK_NSEC };

	if (looks < EAGER) {
		sys3(SYS_sched_yield, 0, 0, 0);
		return;
	}
	sys3(SYS_nanosleep, (long)&tick, 0, 0);
	++*spent;
}

/* Some go on by themselves, now or later. Who is alone, and waits for them, goes on when they have ended, however long
 * that takes; if others come to be there meanwhile, or it looks at what they change, that is another thing. */
static void are_late(bool alone)
{
	if (alone && ticks < TICKS_MOST)
		vtb_children_late = true;
	else
		vtb_children_not_decided();
}

/* A primitive that child processes have in common with the program is modelled in the program alone. */
static void look_for_shared(void)
{
	static bool looked;

	if (vtb_sched.shares && (vtb_children_fresh || !looked) && vtb_memory_is_shared())
		vtb_children_not_decided();
	looked = vtb_sched.shares;
}

/* Who neither runs at one look nor has run when the next one comes is at rest, if that holds for all. */
static bool rest(bool alone)
{
	uint32_t *spent = alone ? &ticks_alone : &ticks;
	const uint64_t before = rested;
	bool moved = vtb_children_fresh; /* one may have come and ended */
	struct look now;

	if (vtb_sched.aside) /* the one that counts is under control */
		return false;
	look_for_shared();
	none &= !vtb_children_fresh;
	vtb_children_fresh = false;
	if (none)
		return false;
	if (ticks >= TICKS_MOST) {
		vtb_children_not_decided();
		return false;
	}
	now = look();
	for (uint32_t looks = 0; !now.blind && (now.runs || now.times != rested) && *spent < TICKS_MOST; looks++) {
		leave_time(looks, spent);
		rested = now.times;
		moved |= rested != before;
		now = look();
	}
	if (now.blind)
		ticks = TICKS_MOST;
	rested = now.times;
	none = !n_list && !now.blind;
	vtb_children_late = false;
	if (now.blind || now.runs || now.sleeps || (*spent >= TICKS_MOST && now.times) || timers_are_set())
		are_late(alone);
	return moved || rested != before;
}

bool vtb_children_rest(void)
{
	return rest(!vtb_self || vtb_sched_alone(vtb_self));
}

void vtb_children_meet_threads(void)
{
	if (vtb_children_late)
		rest(false);
}

bool vtb_children_go_by_themselves(bool timers)
{
	const struct look now = look();

	return now.blind || now.runs || now.sleeps || (timers && timers_are_set());
}
