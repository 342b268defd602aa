/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel counts: time, also of processors, and memory. Each run is told the same: times are virtual
 * (sched/vtime.c), all memory is free, nothing has been swapped, and what is not known is 0, as the kernel says of what
 * it does not count (getrusage(2)). What /proc says of the moment is the kernel's, and the statement names it.
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/vfs.h>

#include "base.h"
#include "syscalls.h"
#include "view.h"

#define PROC_MAGIC 0x9fa0  /* statfs(2) */
#define TICKS_A_SECOND 100 /* of times(): sysconf(_SC_CLK_TCK) on x86-64 */
#define TICK (1000000000 / TICKS_A_SECOND)

static bool clock_call(const greg_t *g, long *ret)
{
	struct timespec now;

	if (!vtb_ctl_clock_gettime((clockid_t)g[REG_RDI], &now))
		return false;
	vtb_engine_written((void *)g[REG_RSI], sizeof(now));
	*(struct timespec *)g[REG_RSI] = now;
	*ret = 0;
	return true;
}

static bool day_call(const greg_t *g, long *ret)
{
	struct timeval *to = (struct timeval *)g[REG_RDI];
	struct timespec now;

	if (g[REG_RSI] || !vtb_ctl_clock_gettime(CLOCK_REALTIME, &now))
		return false;
	if (to) {
		vtb_engine_written(to, sizeof(*to));
		*to = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
	}
	*ret = 0;
	return true;
}

static bool time_call(const greg_t *g, long *ret)
{
	time_t *to = (time_t *)g[REG_RDI];
	struct timespec now;

	if (!vtb_ctl_clock_gettime(CLOCK_REALTIME, &now))
		return false;
	if (to) {
		vtb_engine_written(to, sizeof(*to));
		*to = now.tv_sec;
	}
	*ret = now.tv_sec;
	return true;
}

static bool times_call(const greg_t *g, long *ret)
{
	struct tms *to = (struct tms *)g[REG_RDI];
	struct timespec now, used;

	if (!vtb_ctl_clock_gettime(CLOCK_MONOTONIC, &now) || !vtb_ctl_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used))
		return false;
	if (to) {
		vtb_engine_written(to, sizeof(*to));
		*to = (struct tms){ .tms_utime = used.tv_sec * TICKS_A_SECOND + used.tv_nsec / TICK };
	}
	*ret = now.tv_sec * TICKS_A_SECOND + now.tv_nsec / TICK;
	return true;
}

static bool usage_call(const greg_t *g, long *ret)
{
	const clockid_t clock = (int)g[REG_RDI] == RUSAGE_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
	struct rusage *to = (struct rusage *)g[REG_RSI];
	struct timespec used;

	if ((int)g[REG_RDI] == RUSAGE_CHILDREN &&
	    vtb_children_made) /* of those that were waited for by now, by whomever */
		vtb_children_not_decided();
	if (((int)g[REG_RDI] != RUSAGE_SELF && (int)g[REG_RDI] != RUSAGE_THREAD) || !to ||
	    !vtb_ctl_clock_gettime(clock, &used))
		return false;
	vtb_engine_written(to, sizeof(*to));
	*to = (struct rusage){ .ru_utime = { used.tv_sec, used.tv_nsec / 1000 } };
	*ret = 0;
	return true;
}

static bool info_call(const greg_t *g, long *ret)
{
	struct sysinfo *to = (struct sysinfo *)g[REG_RDI];
	struct timespec now;

	if (!to || !vtb_ctl_clock_gettime(CLOCK_BOOTTIME, &now))
		return false;
	vtb_engine_written(to, sizeof(*to));
	*ret = sys3(SYS_sysinfo, (long)to, 0, 0);
	if (*ret < 0)
		return true;
	to->uptime = now.tv_sec;
	to->freeram = to->totalram;
	to->freeswap = to->totalswap;
	to->freehigh = to->totalhigh;
	to->sharedram = to->bufferram = 0;
	to->procs = 1;
	to->loads[0] = to->loads[1] = to->loads[2] = 0;
	return true;
}

bool vtb_counted_call(const greg_t *g, long *ret)
{
	switch (g[REG_RAX]) {
	case SYS_clock_gettime:
		return clock_call(g, ret);
	case SYS_gettimeofday:
		return day_call(g, ret);
	case SYS_time:
		return time_call(g, ret);
	case SYS_times:
		return times_call(g, ret);
	case SYS_getrusage:
		return usage_call(g, ret);
	default:
		return info_call(g, ret);
	}
}

/* ---- /proc */

static bool is_below(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

/* The same in every run: of the program's start, or of the machine. */
static bool is_constant(const char *name, const char *path)
{
	static const char *const names[] = {
		"cmdline",     "exe",         "environ",           "auxv",    "cgroup",    "comm",    "limits",
		"filesystems", "mounts",      "mountinfo",         "version", "devices",   "ostype",  "osrelease",
		"pid_max",     "threads-max", "overcommit_memory", "modules", "setgroups", "uid_map", "gid_map"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return is_below(path, "/proc/sys/vm/") || is_below(path, "/proc/sys/net/core/"); /* settings, no counts */
}

/* Memory that others get may be in it or not, and is no operation: not so where nobody else is. */
static bool is_list_of_memory(const char *name)
{
	if (strcmp(name, "maps"))
		return false;
	if (vtb_sched.active && vtb_self && !vtb_sched_alone(vtb_self))
		vtb_rt_uncontrolled(VTB_UNC_MEMORY);
	return true;
}

/* Is what it says told, or the same in every run? */
static bool is_known(long fd, const char *path)
{
	const char *name = path;

	for (const char *p = path; *p; p++)
		if (*p == '/')
			name = p + 1;
	return is_constant(name, path) || is_list_of_memory(name) || vtb_proc_stat_opened(fd, path) ||
	       vtb_proc_meminfo_opened(fd, path);
}

static bool is_file_of_proc(long fd)
{
	struct statfs system;
	struct stat st;

	return sys3(SYS_fstatfs, fd, (long)&system, 0) == 0 && system.f_type == PROC_MAGIC &&
	       sys3(SYS_fstat, fd, (long)&st, 0) == 0 && S_ISREG(st.st_mode);
}

void vtb_counted_opened(long fd)
{
	static char path[4096];

	if (fd >= 0 && is_file_of_proc(fd) && !(vtb_view_descriptor((int)fd, path) && is_known(fd, path)))
		vtb_rt_uncontrolled(VTB_UNC_PROC);
}
