/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setuid and its like: the kernel changes the ids of one thread, so glibc sends a signal to every other thread and
 * waits until each has changed its own. The threads of the model are parked, but their kernel threads take that signal
 * and do it; so what glibc does here is left to the kernel, its wait included.
 */
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base.h"
#include "scheduler.h"
#include "syscalls.h"

static struct vtb_rt_thread *enter(long nr)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t || !vtb_rt_controls())
		return NULL;
	vtb_engine_refuse_call(nr, "");
	t->base.inside++;
	return t;
}

#define CHANGES_IDS(name, params, types, args)               \
	VTB_EXPORT int name params                           \
	{                                                    \
		VTB_BEHIND(int, real, types, #name);         \
		struct vtb_rt_thread *t = enter(SYS_##name); \
		int r;                                       \
		r = real args;                               \
		if (t)                                       \
			t->base.inside--;                    \
		return r;                                    \
	}
CHANGES_IDS(setuid, (uid_t a), (uid_t), (a))
CHANGES_IDS(setgid, (gid_t a), (gid_t), (a))
CHANGES_IDS(setreuid, (uid_t a, uid_t b), (uid_t, uid_t), (a, b))
CHANGES_IDS(setregid, (gid_t a, gid_t b), (gid_t, gid_t), (a, b))
CHANGES_IDS(setresuid, (uid_t a, uid_t b, uid_t c), (uid_t, uid_t, uid_t), (a, b, c))
CHANGES_IDS(setresgid, (gid_t a, gid_t b, gid_t c), (gid_t, gid_t, gid_t), (a, b, c))
CHANGES_IDS(setgroups, (size_t n, const gid_t *list), (size_t, const gid_t *), (n, list))
#define SYS_seteuid SYS_setresuid /* what glibc makes of them */
#define SYS_setegid SYS_setresgid
CHANGES_IDS(seteuid, (uid_t a), (uid_t), (a))
CHANGES_IDS(setegid, (gid_t a), (gid_t), (a))
