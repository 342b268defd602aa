/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "starter_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "starter_refused.h"
#include "vtb/fsview.h"

/* Shared with who becomes the starter: it mounts, and we look at what is written there. NULL: it has none. */
static struct vtb_fsview *view;

static char parts[STARTER_PARTS][STARTER_PART_MAX];

static bool write_all(int fd, const char *from, size_t size)
{
	while (size) {
		const ssize_t n = write(fd, from, size);

		if (n <= 0)
			return false;
		from += n;
		size -= (size_t)n;
	}
	return true;
}

static uint32_t read_link(pid_t pid, const char *name, char *to)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	n = readlink(path, to, STARTER_PART_MAX - 1);
	return n > 0 ? (uint32_t)n : 0;
}

static uint32_t read_file(pid_t pid, const char *name, char *to)
{
	char path[64];
	uint32_t size = 0;
	ssize_t n = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n > 0 && size < STARTER_PART_MAX) {
		n = read(fd, to + size, STARTER_PART_MAX - size);
		size += n > 0 ? (uint32_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	return size;
}

/* A process has become another program. True: go on. */
static bool tell(pid_t pid, int out, int in)
{
	const struct starter_head head = { .size = {
	    [STARTER_EXE] = read_link(pid, "exe", parts[STARTER_EXE]),
	    [STARTER_CWD] = read_link(pid, "cwd", parts[STARTER_CWD]),
	    [STARTER_ARGV] = read_file(pid, "cmdline", parts[STARTER_ARGV]),
	    [STARTER_ENV] = read_file(pid, "environ", parts[STARTER_ENV]),
	}, .pid = (uint32_t)pid, .wrote = view && vtb_fsview_written(view) };
	char answer;

	if (!write_all(out, (const char *)&head, sizeof(head)))
		return false;
	for (int i = 0; i < STARTER_PARTS; i++)
		if (!write_all(out, parts[i], head.size[i]))
			return false;
	return read(in, &answer, 1) == 1;
}

/* What it was started with leads into the view, too, and the room stays open for us to see. */
static bool enter_view(void)
{
	struct vtb_fsview_trouble t;
	char cwd[PATH_MAX];

	if (!getcwd(cwd, sizeof(cwd)))
		cwd[0] = 0;
	if (!vtb_fsview_leave_others(view, &t) || !vtb_fsview_mount(view, false, cwd, &t))
		return false;
	vtb_fsview_take_descriptors(view, false);
	vtb_fsview_begin(view);
	vtb_fsview_drop_rights(view);
	return true;
}

_Noreturn static void become(char *const *argv, const char *cwd)
{
	const int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	if ((cwd && chdir(cwd) < 0) || (view && !enter_view()) || ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(126);
	raise(SIGSTOP);
	execvp(argv[0], argv);
	_exit(127);
}

/* It is stopped before exec, with the room still open. */
static bool open_room(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, view->scratch_fd);
	view->scratch_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return view->scratch_fd >= 0;
}

static bool share_view(const struct vtb_fsview *plan)
{
	void *shared = mmap(NULL, sizeof(*view), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return false;
	view = shared;
	*view = *plan;
	view->scratch_fd = -1;
	return true;
}

/* The signal to hand on, 0 for stops that are ours. */
static int signal_of(int status)
{
	const int signal = WSTOPSIG(status);

	return status >> 16 || signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

/* In a view every call is looked at: one that is refused because the file system is read-only goes on in the next try.
 */
static int go_on(pid_t pid, int signal)
{
	return (int)ptrace(view ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)(intptr_t)signal);
}

static bool is_call(int status)
{
	return WSTOPSIG(status) == (SIGTRAP | 0x80); /* PTRACE_O_TRACESYSGOOD */
}

/* It could not change something. False: the other side wants no more of it. */
static bool tell_refused(pid_t pid, int out)
{
	const uint32_t size = starter_refused_path(pid, parts[STARTER_EXE], STARTER_PART_MAX);
	const struct starter_head head = { .size = { [STARTER_EXE] = size }, .pid = (uint32_t)pid, .refused = 1 };

	return !size || !write_all(out, (const char *)&head, sizeof(head)) || !write_all(out, parts[STARTER_EXE], size);
}

static void follow(int out, int in)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid <= 0 || !WIFSTOPPED(status))
			continue;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8) && !tell(pid, out, in))
			return;
		if (is_call(status) && !tell_refused(pid, out))
			return;
		go_on(pid, is_call(status) ? 0 : signal_of(status));
	}
}

_Noreturn void vtb_starter_trace(char *const *argv, const char *cwd, const struct vtb_fsview *plan, int out, int in)
{
	const long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
	                     PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;
	int status;
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_IGN);
	if (plan && !share_view(plan))
		_exit(1);
	pid = fork();
	if (pid == 0)
		become(argv, cwd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || (view && !open_room(pid)) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options) < 0)
		_exit(1);
	go_on(pid, 0);
	follow(out, in);
	_exit(0); /* and all that it traces with it */
}
