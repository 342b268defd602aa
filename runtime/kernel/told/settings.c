/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings that all threads of the process share: what a signal does, limits, priorities, users, its group and session,
 * what prctl() and personality() set. What asks for one sees what was set last, so both are operations on it. The call
 * itself is the kernel's.
 *
 * Limits, users and groups decide what comes of calls that do not ask for them: how much a write writes, whether a name
 * may be removed. So to set one is a read of whatever is done to files and descriptors, too (syscall_tell.c). Who gets
 * memory makes no operation: of its limits the statement tells.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base.h"
#include "signals.h"
#include "syscalls.h"

/* What is not known may set something. */
static bool prctl_asks(int option)
{
	switch (option) {
	case PR_GET_PDEATHSIG:
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_GET_TIMING:
	case PR_GET_SECCOMP:
	case PR_CAPBSET_READ:
	case PR_GET_TSC:
	case PR_GET_SECUREBITS:
	case PR_GET_TIMERSLACK:
	case PR_MCE_KILL_GET:
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_NO_NEW_PRIVS:
	case PR_GET_TID_ADDRESS:
	case PR_GET_THP_DISABLE:
	case PR_GET_SPECULATION_CTRL:
		return true;
	default:
		return false;
	}
}

static bool sets_always(long nr)
{
	static const short calls[] = { SYS_setrlimit,      SYS_setpriority, SYS_sched_setscheduler,
		                       SYS_sched_setparam, SYS_setuid,      SYS_setgid,
		                       SYS_setreuid,       SYS_setregid,    SYS_setresuid,
		                       SYS_setresgid,      SYS_setgroups,   SYS_setfsuid,
		                       SYS_setfsgid,       SYS_setsid,      SYS_setpgid };
	bool any = false;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		any |= calls[i] == nr;
	return any;
}

/* Does the call set something, and not only ask? */
static bool sets_something(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_prlimit64:
		return g[REG_RDX] != 0;
	case SYS_prctl:
		return !prctl_asks((int)g[REG_RDI]);
	case SYS_personality:
		return (uint32_t)g[REG_RDI] != UINT32_MAX;
	default:
		return sets_always(g[REG_RAX]);
	}
}

/* The number of a signal, or 0. Does the call set it? */
static unsigned setting_of(const greg_t *g, bool *ret_sets)
{
	if (g[REG_RAX] == SYS_rt_sigaction) {
		*ret_sets = g[REG_RSI] != 0;
		return (unsigned)g[REG_RDI] & 0x7f;
	}
	*ret_sets = sets_something(g);
	return 0;
}

static void operation(struct vtb_rt_thread *t, bool sets, unsigned setting)
{
	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, sets ? VTB_E_IO_WRITE : VTB_E_IO_READ,
		       vtb_io_name(VTB_IO_SETTING, setting));
}

static bool sets_limit(const greg_t *g)
{
	return g[REG_RAX] == SYS_setrlimit || (g[REG_RAX] == SYS_prlimit64 && g[REG_RDX]);
}

static bool is_of_memory(unsigned limit)
{
	return limit == RLIMIT_AS || limit == RLIMIT_DATA || limit == RLIMIT_MEMLOCK;
}

static void decides_calls(struct vtb_rt_thread *t)
{
	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, VTB_E_IO_READ, vtb_io_name(VTB_IO_FILES, 0));
}

static void limit(struct vtb_rt_thread *t, unsigned which)
{
	decides_calls(t);
	if (is_of_memory(which) && vtb_sched.active && !vtb_sched_alone(t))
		vtb_rt_uncontrolled(VTB_UNC_MEMORY);
}

void vtb_settings_call(struct vtb_rt_thread *t, const greg_t *g)
{
	bool sets;
	const unsigned setting = setting_of(g, &sets);

	if (sets_limit(g))
		limit(t, (unsigned)(g[REG_RAX] == SYS_setrlimit ? g[REG_RDI] : g[REG_RSI]));
	operation(t, sets, setting);
}

void vtb_settings_change(struct vtb_rt_thread *t)
{
	decides_calls(t);
	operation(t, true, 0);
}

/* What is pending and is ignored from now on is gone. */
void vtb_signals_note_action(const greg_t *g)
{
	const int ignored = vtb_signals_begins_to_ignore(g);

	vtb_sched.handlers |= vtb_signals_sets_handler(g);
	if (!ignored)
		return;
	vtb_signals_looked_at(vtb_self, 1ull << (ignored - 1));
	vtb_signals_forget(ignored);
}
