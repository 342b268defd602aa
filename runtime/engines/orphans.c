/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run leaves behind (its children, and theirs) comes to the process that makes the runs, and is ended before the
 * next one: a thousand runs would leave a thousand daemons, which the next ones would meet.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base.h"
#include "engines.h"

#define TEXT_BYTES 4096u /* of the kernel's list; what does not fit in is ended after the next run */
#define OWN_MAX 16u      /* children that the program has made before main: they stay */

static pid_t own[OWN_MAX];
static uint32_t n_own;

static bool is_own(pid_t pid)
{
	for (uint32_t i = 0; i < n_own; i++)
		if (own[i] == pid)
			return true;
	return n_own == OWN_MAX; /* not all are known */
}

/* "12 345 ": a number that is cut off is left out. */
static void each_child(void (*act)(pid_t pid))
{
	char text[TEXT_BYTES];
	const int fd =
	    (int)sys6(SYS_openat, AT_FDCWD, (long)"/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	const long n = fd < 0 ? 0 : sys3(SYS_read, fd, (long)text, sizeof(text));
	pid_t pid = 0;

	for (long i = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			pid = pid * 10 + (text[i] - '0');
		} else if (pid) {
			act(pid);
			pid = 0;
		}
	}
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
}

static void note_own(pid_t pid)
{
	if (n_own < OWN_MAX)
		own[n_own++] = pid;
}

static void end(pid_t pid)
{
	if (!is_own(pid))
		sys3(SYS_kill, pid, SIGKILL, 0);
}

void vtb_orphans_begin(void)
{
	sys6(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0, 0);
	each_child(note_own);
}

void vtb_orphans_end(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		;
	if (pid == 0) /* some live; those that are ended now are reaped after the next run */
		each_child(end);
}
