/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setuid and its like: the kernel changes the ids of one thread, so glibc sends a signal to every other thread and
 * waits until each has changed its own. The threads of the model are parked, but their kernel threads take that signal
 * and do it; so what glibc does here is left to the kernel, its wait included.
 */
#include <errno.h>
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base.h"
#include "scheduler.h"
#include "syscalls.h"

static struct vtb_rt_thread *enter(long nr, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t || !vtb_rt_controls())
		return NULL;
	t->base.pc = pc;
	vtb_engine_refuse_call(nr, "");
	vtb_settings_change(t);
	t->base.inside++;
	return t;
}

/* All fibers run on one kernel thread. The others that glibc knows of are not there in the copy of a process that had
 * them, and it would wait for the one that it runs on. */
static bool is_alone(void)
{
	return vtb_rt.block->carrier == VTB_CARRIER_FIBERS;
}

static int made(long r)
{
	if (r >= 0)
		return 0;
	errno = (int)-r;
	return -1;
}

#define CHANGES_IDS(name, nr, params, types, args, ...)                        \
	VTB_EXPORT int name params                                             \
	{                                                                      \
		VTB_BEHIND(int, real, types, #name);                           \
		struct vtb_rt_thread *t = enter(nr, VTB_CALLER);               \
		int r;                                                         \
		r = t && is_alone() ? made(sys3(nr, __VA_ARGS__)) : real args; \
		if (t)                                                         \
			t->base.inside--;                                      \
		return r;                                                      \
	}
CHANGES_IDS(setuid, SYS_setuid, (uid_t a), (uid_t), (a), a, 0, 0)
CHANGES_IDS(setgid, SYS_setgid, (gid_t a), (gid_t), (a), a, 0, 0)
CHANGES_IDS(setreuid, SYS_setreuid, (uid_t a, uid_t b), (uid_t, uid_t), (a, b), a, b, 0)
CHANGES_IDS(setregid, SYS_setregid, (gid_t a, gid_t b), (gid_t, gid_t), (a, b), a, b, 0)
CHANGES_IDS(setresuid, SYS_setresuid, (uid_t a, uid_t b, uid_t c), (uid_t, uid_t, uid_t), (a, b, c), a, b, c)
CHANGES_IDS(setresgid, SYS_setresgid, (gid_t a, gid_t b, gid_t c), (gid_t, gid_t, gid_t), (a, b, c), a, b, c)
CHANGES_IDS(setgroups, SYS_setgroups, (size_t n, const gid_t *list), (size_t, const gid_t *), (n, list), (long)n,
            (long)list, 0)
/* what glibc makes of them */
CHANGES_IDS(seteuid, SYS_setresuid, (uid_t a), (uid_t), (a), -1, a, -1)
CHANGES_IDS(setegid, SYS_setresgid, (gid_t a), (gid_t), (a), -1, a, -1)
