/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ids of processes and threads. The program is told numbers of its own (sched/carrier.c); calls that take one get what
 * stands behind it, and so do names below /proc. A run in which other processes could come to know them is made again
 * with the kernel's ids.
 */
#include <fcntl.h>
#include <string.h>

#include "base.h"
#include "syscalls.h"

static bool asked VTB_HISTORY_RARE;  /* the program has been told one */
static bool others VTB_HISTORY_RARE; /* it has made a process */

static void together(void)
{
	if (!asked || !others || vtb_engine->call) /* engine snapshot makes no process */
		return;
	vtb_sched.slot->outcome.flags |= VTB_OUT_REFUSED | VTB_OUT_IDS;
	vtb_engine->stop(0);
}

void vtb_ids_start_process(void)
{
	if (!vtb_ids_are_told())
		return;
	others = true;
	together();
}

static long tell(long told, long real)
{
	if (!vtb_ids_are_told()) {
		if (vtb_sched.active)
			vtb_rt_uncontrolled(VTB_UNC_IDS);
		return real;
	}
	asked = true;
	if (vtb_sched.active)
		together();
	return told;
}

static long own(const struct vtb_rt_thread *t)
{
	return t ? tell(vtb_told_thread(t), vtb_carrier_id(t)) : sys3(SYS_gettid, 0, 0, 0);
}

/* Groups and sessions are of whoever started the program: as the kernel says. */
static long group(const greg_t *g)
{
	if (vtb_sched.active)
		vtb_rt_uncontrolled(VTB_UNC_IDS);
	return vtb_syscall_make(g);
}

long vtb_ids_tell_process(void)
{
	return tell(vtb_told_process(), sys3(SYS_getpid, 0, 0, 0));
}

long vtb_ids_tell_parent(void)
{
	return tell(vtb_told_parent(), sys3(SYS_getppid, 0, 0, 0));
}

long vtb_ids_call(struct vtb_rt_thread *t, const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_getpid:
		return vtb_ids_tell_process();
	case SYS_getppid:
		return vtb_ids_tell_parent();
	case SYS_gettid:
		return own(t);
	default:
		return group(g);
	}
}

/* Also before main, where calls do not trap: a constructor may keep it. */
VTB_EXPORT pid_t getpid(void)
{
	return (pid_t)vtb_ids_tell_process();
}

VTB_EXPORT pid_t getppid(void)
{
	return (pid_t)vtb_ids_tell_parent();
}

VTB_EXPORT pid_t gettid(void)
{
	if (vtb_self && vtb_sched.active)
		return (pid_t)own(vtb_self);
	return (pid_t)(vtb_self || vtb_sched.active ? sys3(SYS_gettid, 0, 0, 0)
	                                            : tell(vtb_told_process(), sys3(SYS_gettid, 0, 0, 0)));
}

/* ---- calls that take ids */

#define ARG(i) (1u << (i))
#define THREAD 0x80u /* it is a thread's: what pthread_t holds comes here, too */
static const struct taker {
	uint16_t nr;
	uint8_t args;
} takers[] = {
	{ SYS_kill, ARG(0) },
	{ SYS_tkill, ARG(0) },
	{ SYS_tgkill, ARG(0) | ARG(1) },
	{ SYS_rt_sigqueueinfo, ARG(0) },
	{ SYS_rt_tgsigqueueinfo, ARG(0) | ARG(1) },
	{ SYS_sched_setaffinity, ARG(0) | THREAD },
	{ SYS_sched_getaffinity, ARG(0) | THREAD },
	{ SYS_sched_setparam, ARG(0) | THREAD },
	{ SYS_sched_getparam, ARG(0) | THREAD },
	{ SYS_sched_setscheduler, ARG(0) | THREAD },
	{ SYS_sched_getscheduler, ARG(0) | THREAD },
	{ SYS_sched_rr_get_interval, ARG(0) | THREAD },
	{ SYS_sched_setattr, ARG(0) | THREAD },
	{ SYS_sched_getattr, ARG(0) | THREAD },
	{ SYS_setpriority, ARG(1) },
	{ SYS_getpriority, ARG(1) },
	{ SYS_ioprio_set, ARG(1) },
	{ SYS_ioprio_get, ARG(1) },
	{ SYS_prlimit64, ARG(0) },
	{ SYS_getpgid, ARG(0) },
	{ SYS_setpgid, ARG(0) | ARG(1) },
	{ SYS_getsid, ARG(0) },
	{ SYS_wait4, ARG(0) },
	{ SYS_waitid, ARG(1) },
	{ SYS_pidfd_open, ARG(0) },
	{ SYS_process_vm_readv, ARG(0) },
	{ SYS_process_vm_writev, ARG(0) },
	{ SYS_kcmp, ARG(0) | ARG(1) },
	{ SYS_ptrace, ARG(1) },
	{ SYS_perf_event_open, ARG(1) },
	{ SYS_get_robust_list, ARG(0) },
	{ SYS_migrate_pages, ARG(0) },
	{ SYS_move_pages, ARG(0) },
	{ SYS_fcntl, ARG(2) }, /* F_SETOWN only */
};
static const int arg_register[] = { REG_RDI, REG_RSI, REG_RDX };

/* A fiber's pthread_t holds the id of a thread that only waits. In a forked process there is none of that id: it is the
 * parent's, and what is asked or set there would be the next run's, too. */
static long of_fiber(long id)
{
	const long parent = sys3(SYS_getppid, 0, 0, 0);

	return vtb_carrier->kernel_id && !vtb_engine->call && id > 0 && id != parent &&
	               sys3(SYS_tgkill, parent, id, 0) == 0
	           ? sys3(SYS_gettid, 0, 0, 0)
	           : id;
}

static void replace_args(greg_t *g, uint8_t args)
{
	for (size_t i = 0; i < sizeof(arg_register) / sizeof(*arg_register); i++)
		if (args & ARG(i))
			g[arg_register[i]] = vtb_id_behind((long)(int)g[arg_register[i]]);
	if (args & THREAD)
		g[REG_RDI] = of_fiber((long)(int)g[REG_RDI]);
}

/* ---- names below /proc */

#define PROC "/proc/"
#define NAME_MAX_BYTES 256u

/* The argument that is a path; -1: none, or its name is looked up below a descriptor only. */
static int path_register(long nr)
{
	switch (nr) {
	case SYS_open:
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
	case SYS_readlink:
		return REG_RDI;
	case SYS_openat:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_faccessat:
	case SYS_readlinkat:
		return REG_RSI;
	default:
		return -1;
	}
}

/* As much of the string at `from` as is there. False: it is longer, or not one below /proc. */
static bool take_name(uint64_t from, char *ret)
{
	for (size_t i = 0; i < NAME_MAX_BYTES; i++) {
		uint64_t byte;

		if (!vtb_rt_peek((const void *)(from + i), 1, &byte) || (i < sizeof(PROC) - 1 && (char)byte != PROC[i]))
			return false;
		ret[i] = (char)byte;
		if (!byte)
			return i >= sizeof(PROC) - 1;
	}
	return false;
}

char *vtb_ids_put(char *to, long number)
{
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* Each number that is a told id becomes the kernel's. */
static bool replace_numbers(const char *from, char *to)
{
	bool any = false;

	while (*from) {
		long number = 0;
		const char *end = from;

		while (*end >= '0' && *end <= '9' && number < 1l << 40)
			number = number * 10 + (*end++ - '0');
		if (end == from) {
			*to++ = *from++;
			continue;
		}
		any |= vtb_id_behind(number) != number;
		to = vtb_ids_put(to, vtb_id_behind(number));
		from = end;
	}
	*to = 0;
	return any;
}

static void replace_path(greg_t *g, int at)
{
	char name[NAME_MAX_BYTES], own[NAME_MAX_BYTES + 24];
	char *copy;

	if (!take_name((uint64_t)g[at], name) || !replace_numbers(name, own))
		return;
	copy = vtb_rt_alloc(strlen(own) + 1); /* another thread may have its turn before the call is made */
	if (copy)
		g[at] = (greg_t)memcpy(copy, own, strlen(own) + 1);
}

void vtb_ids_replace(greg_t *g)
{
	const int path = asked ? path_register(g[REG_RAX]) : -1;

	if (path >= 0)
		replace_path(g, path);
	for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); i++)
		if (takers[i].nr == g[REG_RAX] && (asked || takers[i].args & THREAD) &&
		    (g[REG_RAX] != SYS_fcntl || g[REG_RSI] == F_SETOWN))
			replace_args(g, takers[i].args);
}
