/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending a program and everything it started, including what has left its process group (daemons). */
#include "children.h"

#include "vtb/launch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SWEEPS_MAX 200 /* a program that forks faster than we kill is given up after so many rounds (1 ms each) */

/* Programs launched and not yet ended. More than this at the same time are not protected from each other's sweep. */
static pid_t live[64];

static void replace_live(pid_t from, pid_t to)
{
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (live[i] == from) {
			live[i] = to;
			return;
		}
}

void vtb_children_add(pid_t pid)
{
	replace_live(0, pid);
}

void vtb_launch_spare(pid_t pid, bool spared)
{
	replace_live(spared ? 0 : pid, spared ? pid : 0);
}

/* Does the process, or the leader of its group, belong to another program launched here? */
static bool is_live(pid_t pid)
{
	const pid_t group = getpgid(pid);

	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (live[i] && (live[i] == pid || live[i] == group))
			return true;
	return false;
}

void vtb_launch_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

/* Parent of process `pid` from /proc; 0 if it is gone. "pid (name) state ppid": the name may hold anything, so search
 * the last ')'. */
static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	const char *p;
	size_t n;
	FILE *f;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[n] = 0;
	p = strrchr(line, ')');
	return p && sscanf(p + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* In a process namespace whose /proc is still that of the one around it, its numbers are not ours: they would name
 * strangers, or nobody. /proc/self is empty or another number there. */
static bool proc_is_ours(void)
{
	char link[32];
	const ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);

	if (n < 0)
		return false;
	link[n] = 0;
	return atoi(link) == (int)getpid();
}

/* The children of ours that are neither in our own process group nor of a live program: what the ended one left behind.
 * Returns how many there are. */
static unsigned each_left(void (*act)(pid_t pid))
{
	DIR *proc = proc_is_ours() ? opendir("/proc") : NULL;
	const pid_t self = getpid(), own_group = getpgrp();
	struct dirent *d;
	unsigned n = 0;

	while (proc && (d = readdir(proc))) {
		const pid_t pid = isdigit((unsigned char)d->d_name[0]) ? (pid_t)atoi(d->d_name) : 0;

		if (pid <= 0 || parent_of(pid) != self || getpgid(pid) == own_group || is_live(pid))
			continue;
		act(pid);
		n++;
	}
	if (proc)
		closedir(proc);
	return n;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
}

static void reap(pid_t pid)
{
	end(pid); /* it may have come to us since */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* All are killed before one is waited for: they end at the same time. Returns how many. */
static unsigned sweep(void)
{
	return each_left(end) ? each_left(reap) : 0;
}

/* Processes left in the group `pgid`; those that are ours are reaped. */
static unsigned reap_group(pid_t pgid)
{
	unsigned n = 0;
	pid_t pid;

	while ((pid = waitpid(-pgid, NULL, 0)) > 0 || (pid < 0 && errno == EINTR))
		n += pid > 0;
	return n;
}

static void take_terminal_back(const struct vtb_child *child)
{
	sigset_t set, old;

	if (!child->has_terminal)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &old);
	tcsetpgrp(STDIN_FILENO, getpgrp());
	sigprocmask(SIG_SETMASK, &old, NULL);
}

enum vtb_child_news vtb_child_poll(const struct vtb_child *child, int *ret_status, int *ret_signal)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
		const bool exited = info.si_code == CLD_EXITED;

		*ret_signal = exited ? 0 : info.si_status;
		*ret_status = exited ? info.si_status : 128 + info.si_status;
		return VTB_CHILD_ENDED;
	}
	info = (siginfo_t){ 0 };
	if (waitid(P_PID, (id_t)child->pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid)
		return VTB_CHILD_STOPPED;
	return VTB_CHILD_RUNNING;
}

unsigned vtb_child_end(struct vtb_child *child)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned n = 0;

	if (child->pid <= 0)
		return 0;
	replace_live(child->pid, 0);
	for (int i = 0; i < SWEEPS_MAX; i++) {
		unsigned found;

		kill(-child->pid, SIGKILL);
		found = reap_group(child->pid) + sweep();
		n += found;
		if (!found && kill(-child->pid, 0) < 0)
			break;
		nanosleep(&pause, NULL);
	}
	take_terminal_back(child);
	*child = (struct vtb_child){ 0 };
	return n ? n - 1 : 0;
}
