/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of the process, of its threads and of files that were open before that a run changes by a call, and that the
 * same call puts back: limits, scheduling, the mask of new files, the stack of signal handlers, whether a file blocks
 * and whether it is closed by execve(). Before the first change of one what it is now is
 * noted; the notes are gone through at the end of the run, the last one first.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base.h"
#include "engines.h"
#include "kernel.h"

#define NOTES_MAX 64u
#define PRIORITY_OFFSET 20 /* of what the system call returns (getpriority(2), C library/kernel differences) */

struct note {
	long nr, which, who; /* the call, and what of whose it sets */
	long before;
	union {
		stack_t stack;
		struct rlimit limit;
		struct sched_param sched;
	};
};

/* In shared memory: survives the rollback. */
static struct put_back {
	struct note notes[NOTES_MAX];
	uint32_t n;
} * P;

static bool is_noted(const struct note *a)
{
	for (uint32_t i = 0; i < P->n; i++)
		if (P->notes[i].nr == a->nr && P->notes[i].which == a->which && P->notes[i].who == a->who)
			return true;
	return false;
}

/* ---- what it is now. False: the call only asks, or will fail */

static bool of_mask(const greg_t *g, struct note *ret)
{
	(void)g;
	ret->before = sys3(SYS_umask, 0, 0, 0);
	sys3(SYS_umask, ret->before, 0, 0);
	return true;
}

static bool of_stack(const greg_t *g, struct note *ret)
{
	return g[REG_RDI] && sys3(SYS_sigaltstack, 0, (long)&ret->stack, 0) == 0;
}

static bool of_scheduling(const greg_t *g, struct note *ret)
{
	ret->nr = SYS_sched_setscheduler;
	ret->who = (pid_t)g[REG_RDI];
	ret->before = sys3(SYS_sched_getscheduler, ret->who, 0, 0);
	return ret->before >= 0 && sys3(SYS_sched_getparam, ret->who, (long)&ret->sched, 0) == 0;
}

static bool of_priority(const greg_t *g, struct note *ret)
{
	ret->which = (int)g[REG_RDI];
	ret->who = (int)g[REG_RSI];
	if (ret->which != PRIO_PROCESS)
		vtb_audit_refuse(SYS_setpriority, " of several processes");
	ret->before = PRIORITY_OFFSET - sys3(SYS_getpriority, ret->which, ret->who, 0);
	return true;
}

/* A hard limit that was lowered cannot be raised again. */
static bool of_limit(const greg_t *g, struct note *ret)
{
	const bool newer = g[REG_RAX] == SYS_prlimit64;
	const uint64_t *to = (const uint64_t *)(newer ? g[REG_RDX] : g[REG_RSI]);
	uint64_t hard;

	ret->nr = SYS_setrlimit;
	ret->which = newer ? g[REG_RSI] : g[REG_RDI];
	if (!to || !vtb_rt_peek(to + 1, sizeof(hard), &hard))
		return false;
	if (newer && g[REG_RDI])
		vtb_audit_refuse(g[REG_RAX], " of a process by its number");
	if (sys3(SYS_getrlimit, ret->which, (long)&ret->limit, 0) < 0)
		return false;
	if (hard != ret->limit.rlim_max)
		vtb_audit_refuse(g[REG_RAX], " to change a hard limit");
	return true;
}

static bool of_file(const greg_t *g, struct note *ret)
{
	ret->which = (int)g[REG_RSI];
	ret->who = (int)g[REG_RDI];
	ret->before = sys3(SYS_fcntl, ret->who, ret->which == F_SETFL ? F_GETFL : F_GETFD, 0);
	return ret->before >= 0;
}

static const struct {
	long nr;
	bool (*note)(const greg_t *g, struct note *ret);
} settings[] = {
	{ SYS_umask, of_mask },
	{ SYS_sigaltstack, of_stack },
	{ SYS_sched_setscheduler, of_scheduling },
	{ SYS_sched_setparam, of_scheduling },
	{ SYS_setpriority, of_priority },
	{ SYS_setrlimit, of_limit },
	{ SYS_prlimit64, of_limit },
	{ SYS_fcntl, of_file },
};

static long put_one_back(const struct note *a)
{
	switch (a->nr) {
	case SYS_umask:
		return sys3(SYS_umask, a->before, 0, 0);
	case SYS_sigaltstack:
		return sys3(SYS_sigaltstack, (long)&a->stack, 0, 0);
	case SYS_sched_setscheduler:
		return sys3(SYS_sched_setscheduler, a->who, a->before, (long)&a->sched);
	case SYS_setpriority:
		return sys3(SYS_setpriority, a->which, a->who, a->before);
	case SYS_fcntl:
		return sys3(SYS_fcntl, a->who, a->which, a->before);
	default:
		return sys3(SYS_setrlimit, a->which, (long)&a->limit, 0);
	}
}

/* ---- the interface */

bool vtb_put_back_begin(void)
{
	P = vtb_shared_pages(sizeof(*P));
	return P;
}

static void note_before(const greg_t *g)
{
	struct note a = { .nr = g[REG_RAX] };
	size_t i = 0;

	while (settings[i].nr != g[REG_RAX])
		i++;
	if (!settings[i].note(g, &a) || is_noted(&a))
		return;
	if (P->n == NOTES_MAX)
		vtb_audit_refuse(g[REG_RAX], " (too many settings)");
	P->notes[P->n++] = a;
}

long vtb_put_back_call(const greg_t *g)
{
	const uint32_t noted = P->n;
	long r;

	note_before(g);
	r = vtb_syscall_make(g);
	if (r < 0 || P->n == noted)
		return r;
	/* who may change it may not be allowed to put it back: a priority that was lowered */
	if (put_one_back(&P->notes[noted]) < 0)
		vtb_audit_refuse(g[REG_RAX], ", which this user may not put back");
	return vtb_syscall_make(g);
}

void vtb_put_back(void)
{
	while (P->n)
		put_one_back(&P->notes[--P->n]);
}

bool vtb_put_back_none(void)
{
	return !P->n;
}
