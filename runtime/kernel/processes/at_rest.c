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

bool vtb_children_made, vtb_children_fresh;

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

/* "12 345 " */
static void add_children(pid_t pid, const char *tid, struct look *l)
{
	if (!read_of(pid, tid, "/children"))
		return;
	for (const char *at = text; *at >= '0' && *at <= '9'; at += *at == ' ') {
		const pid_t child = (pid_t)number_at(&at);

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

	l->runs |= state == 'R' || state == 'D';
	if (state == 'S' && read_call(pid, tid, &number, args)) {
		l->sleeps |= waits_for_a_time(number, args);
		l->runs |= vtb_child_files_on() && vtb_child_files_asks(number, args);
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

/* The tasks of a process: those of the program itself only tell who its children are. */
static void look_at(pid_t pid, bool ours, struct look *l)
{
	char path[NAME_BYTES];
	const struct entry *e;
	long fd, n;

	task_name(path, pid, "");
	fd = sys6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0) {
		l->blind |= ours;
		return;
	}
	while ((n = sys3(SYS_getdents64, fd, (long)entries, sizeof(entries))) > 0)
		for (long at = 0; at < n; at += e->size) {
			e = (const struct entry *)(const void *)&entries[at];
			if (e->name[0] == '.')
				continue;
			add_children(pid, e->name, l);
			if (!ours)
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
	look_at((pid_t)sys3(SYS_getpid, 0, 0, 0), true, &l);
	l.blind |= !n_list && has_children();
	for (uint32_t i = 0; i < n_list; i++)
		look_at(list[i], false, &l);
	return l;
}

/* ---- waiting */

static uint32_t ticks;  /* of this run */
static uint64_t rested; /* look.times when they last were at rest */

static void not_decided(void)
{
	vtb_sched.slot->outcome.flags |= VTB_OUT_CHILDREN;
}

static void leave_time(uint32_t looks)
{
	const struct timespec tick = { .tv_nsec = TICK_NSEC };

	if (looks < EAGER) {
		sys3(SYS_sched_yield, 0, 0, 0);
		return;
	}
	sys3(SYS_nanosleep, (long)&tick, 0, 0);
	ticks++;
}

/* Who neither runs at one look nor has run when the next one comes is at rest, if that holds for all. */
void vtb_children_rest(void)
{
	struct look now;

	if (ticks >= TICKS_MOST || !has_children())
		return;
	vtb_children_fresh = false;
	now = look();
	for (uint32_t looks = 0; !now.blind && (now.runs || now.times != rested) && ticks < TICKS_MOST; looks++) {
		leave_time(looks);
		rested = now.times;
		now = look();
	}
	if (now.blind)
		ticks = TICKS_MOST;
	if (now.sleeps || ticks >= TICKS_MOST)
		not_decided();
}
