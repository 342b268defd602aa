/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings that all threads of the process share: what a signal does, limits, priorities. What asks for one sees what
 * was set last, so both are operations on it. The call itself is the kernel's.
 */
#include <sys/syscall.h>

#include "base.h"
#include "syscalls.h"

/* The number of a signal, or 0. Does the call set it? */
static unsigned setting_of(const greg_t *g, bool *ret_sets)
{
	if (g[REG_RAX] == SYS_rt_sigaction) {
		*ret_sets = g[REG_RSI] != 0;
		return (unsigned)g[REG_RDI] & 0x7f;
	}
	*ret_sets = g[REG_RAX] == SYS_prlimit64
	                ? g[REG_RDX] != 0
	                : g[REG_RAX] == SYS_setrlimit || g[REG_RAX] == SYS_setpriority ||
	                      g[REG_RAX] == SYS_sched_setscheduler || g[REG_RAX] == SYS_sched_setparam;
	return 0;
}

void vtb_settings_call(struct vtb_rt_thread *t, const greg_t *g)
{
	bool sets;
	const unsigned setting = setting_of(g, &sets);

	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, sets ? VTB_E_IO_WRITE : VTB_E_IO_READ,
		       vtb_io_name(VTB_IO_SETTING, setting));
}
