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
#include "child_files.h"
#include "syscalls.h"

#define EAGER 50u           /* looks of one wait between which no time is left */
#define TICK_NSEC 200000    /* then so much */
#define TICKS_MOST 1000u    /* of one run: a quarter of a second, as the system wakes who sleeps */
#define PROCESSES_MOST 128u /* children, and theirs */
#define TEXT_BYTES 2048u
#define NAME_BYTES 64u

bool vtb_children_made, vtb_children_fresh, vtb_children_late;

/* ---- reading of /proc; nobody else runs meanwhile */

static char text[TEXT_BYTES];
static char entries[TEXT_BYTES];
static pid_t list[PROCESSES_MOST];
static uint32_t n_list;

struct look {
	bool runs, sleeps, blind;
	uint64_t times; /* what they have run so far, of all of them: equal if none has run */
};

static char *put(char *to, const char *part)
{
	while (*part)
		*to++ = *part++;
	*to = 0;
	return to;
}

static char *put_number(char *to, uint64_t n)
{
	char digits[24];
	size_t i = sizeof(digits);

	digits[--i] = 0;
	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	return put(to, &digits[i]);
}

static char *task_name(char *to, pid_t pid, const char *tid)
{
	to = put_number(put(to, "/proc/"), (uint64_t)pid);
	return put(put(to, "/task/"), tid);
}

/* What the file of a task says, in `text`; false: it is not there, or there is nothing in it. */
static bool read_of(pid_t pid, const char *tid, const char *name)
{
	char path[NAME_BYTES + 64];
	long fd, n;

	put(task_name(path, pid, tid), name);
	fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return false;
	n = sys3(SYS_read, fd, (long)text, sizeof(text) - 1);
	sys3(SYS_close, fd, 0, 0);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static uint64_t number_at(const char **at)
{
	uint64_t n = 0;

	while (**at == ' ')
		++*at;
	for (; **at >= '0' && **at <= '9'; ++*at)
		n = n * 10 + (uint64_t)(**at - '0');
	return n;
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
	if (!read_of(pid, tid, "/children"))
		return;
	for (const char *at = text; *at >= '0' && *at <= '9'; at += *at == ' ') {
		const pid_t child = (pid_t)number_at(&at);

		if (!all && (is_sibling(child) || is_of_other_run(child)))
			continue;
		if (n_list < PROCESSES_MOST)
			list[n_list++] = child;
		else
			l->blind = true;
	}
}

/* Calls that may wait for a time, and which of their arguments says for how long, or where that is written. */
static const struct {
	uint16_t number;
	int8_t arg; /* -1: always for a time */
	bool at;
} timed_calls[] = {
	{ SYS_nanosleep, -1, false },
	{ SYS_clock_nanosleep, -1, false },
	{ SYS_restart_syscall, -1, false },
	{ SYS_poll, 2, false },
	{ SYS_epoll_wait, 3, false },
	{ SYS_epoll_pwait, 3, false },
	{ SYS_ppoll, 2, true },
	{ SYS_epoll_pwait2, 3, true },
	{ SYS_select, 4, true },
	{ SYS_pselect6, 4, true },
	{ SYS_futex, 3, true },
	{ SYS_rt_sigtimedwait, 2, true },
	{ SYS_semtimedop, 3, true },
	{ SYS_mq_timedreceive, 4, true },
	{ SYS_mq_timedsend, 4, true },
};

static uint64_t hex_at(const char **at)
{
	uint64_t n = 0;

	for (*at += 3; **at > ' '; ++*at) /* " 0x" */
		n = n << 4 | (uint64_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
	return n;
}

/* "230 0x0 0x0 ...": the call that it waits in. */
static bool read_call(pid_t pid, const char *tid, uint64_t *ret_number, uint64_t *args)
{
	const char *at = text;

	if (!read_of(pid, tid, "/syscall") || *at < '0' || *at > '9') /* "running", "-1 ..." */
		return false;
	*ret_number = number_at(&at);
	for (uint32_t i = 0; i < 6; i++)
		args[i] = *at ? hex_at(&at) : 0;
	return true;
}

/* A wait that ends by itself. */
static bool waits_for_a_time(uint64_t number, const uint64_t *args)
{
	for (size_t i = 0; i < sizeof(timed_calls) / sizeof(*timed_calls); i++)
		if (timed_calls[i].number == number)
			return timed_calls[i].arg < 0 ||
			       (timed_calls[i].at ? args[timed_calls[i].arg] != 0 : (int)args[timed_calls[i].arg] > 0);
	return false;
}

/* "12 (name) S ...", and the name may have any letter in it; 0: it has ended meanwhile. */
static char state_of(pid_t pid, const char *tid)
{
	char state = 0;

	if (read_of(pid, tid, "/stat"))
		for (const char *at = text; *at; at++)
			if (at[0] == ')' && at[1] == ' ')
				state = at[2];
	return state;
}

static void look_at_task(pid_t pid, const char *tid, struct look *l)
{
	const char state = state_of(pid, tid), *at = text;
	uint64_t number, args[6];

	if (state == 'Z' || state == 'X') /* it has ended, and is as if it were not there, whoever waits for it when */
		return;
	l->runs |= state == 'R' || state == 'D';
	if (state == 'S' && read_call(pid, tid, &number, args)) {
		l->sleeps |= waits_for_a_time(number, args);
		l->runs |= vtb_child_files_are_on && vtb_child_files_asks(number, args);
	}
	if (state && read_of(pid, tid, "/schedstat"))
		l->times = l->times * 31 + number_at(&at) + (uint64_t)pid;
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

	task_name(path, pid, "");
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
	for (uint32_t i = 0; i < n_list; i++)
		look_at(list[i], CHILD, &l);
	return l;
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
	if (now.blind || now.runs || now.sleeps || (*spent >= TICKS_MOST && now.times))
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

bool vtb_children_go_by_themselves(void)
{
	const struct look now = look();

	return now.blind || now.runs || now.sleeps;
}
