/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stuck.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "vtb/bounded_text.h"

#define RUNNING (-1)
#define UNKNOWN (-2)
#define THREADS_NAMED 3u

static const struct {
	long number;
	const char *name;
} calls[] = {
#define VTB_SYSCALL(name, undo, wait, file) { SYS_##name, #name },
#include "../../../runtime/kernel/syscalls.def"
#undef VTB_SYSCALL
	/* and calls that may wait and that the runtime does not know */
	{ SYS_flock, "flock" },
	{ SYS_msgrcv, "msgrcv" },
	{ SYS_msgsnd, "msgsnd" },
	{ SYS_semop, "semop" },
	{ SYS_semtimedop, "semtimedop" },
	{ SYS_mq_timedreceive, "mq_timedreceive" },
	{ SYS_mq_timedsend, "mq_timedsend" },
	{ SYS_io_getevents, "io_getevents" },
	{ SYS_io_uring_enter, "io_uring_enter" },
	{ SYS_waitid, "waitid" },
	{ SYS_fsync, "fsync" },
	{ SYS_ioctl, "ioctl" },
};

/* The number of the system call that a thread is in: proc(5), /proc/pid/task/tid/syscall. */
static long call_of(pid_t pid, const char *task)
{
	char path[300], text[64] = "";
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/syscall", (int)pid, task);
	f = fopen(path, "re");
	if (!f)
		return UNKNOWN;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	if (!n)
		return UNKNOWN;
	return strncmp(text, "running", 7) == 0 ? RUNNING : strtol(text, NULL, 10);
}

static void say_call(struct vtb_bounded_text *t, long call)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == call) {
			vtb_bounded_text_add(t, "%s", calls[i].name);
			return;
		}
	vtb_bounded_text_add(t, "system call %ld", call);
}

struct count {
	unsigned threads, named, running, waiting;
};

static void take(struct vtb_bounded_text *t, struct count *n, long call)
{
	n->threads++;
	n->running += call == RUNNING;
	n->waiting += call == SYS_futex;
	if (call < 0 || call == SYS_futex || n->named >= THREADS_NAMED)
		return;
	vtb_bounded_text_add(t, "%skernel thread %u sits in ", n->named++ ? ", " : "", n->threads);
	say_call(t, call);
}

char *vtb_stuck_describe(pid_t pid, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	struct count n = { 0 };
	char path[64];
	DIR *dir;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return buf;
	for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
		if (e->d_name[0] != '.')
			take(&t, &n, call_of(pid, e->d_name));
	closedir(dir);
	if (n.running)
		vtb_bounded_text_add(&t, "%s%u of %u kernel threads use%s the processor", n.named ? ", " : "",
		                     n.running, n.threads, n.running == 1 ? "s" : "");
	else if (!n.named && n.waiting)
		vtb_bounded_text_add(&t, "all %u kernel threads wait in futex", n.threads);
	return buf;
}
