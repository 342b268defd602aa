/* SPDX-License-Identifier: BSD-2-Clause */
/* The system call that a task of a child process waits in: may it end without anybody doing anything? */
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base.h"
#include "child_files.h"
#include "proc_text.h"

/* Calls that may wait for a time, and which of their arguments says for how long, or where that is written. */
static const struct {
	uint16_t number;
	int8_t arg; /* -1: always for a time, or nobody can tell */
	bool at;
} timed_calls[] = {
	{ SYS_nanosleep, -1, false },
	{ SYS_clock_nanosleep, -1, false },
	{ SYS_restart_syscall, -1, false },
	{ SYS_io_uring_enter, -1, false },
	{ SYS_poll, 2, false },
	{ SYS_epoll_wait, 3, false },
	{ SYS_epoll_pwait, 3, false },
	{ SYS_ppoll, 2, true },
	{ SYS_epoll_pwait2, 3, true },
	{ SYS_select, 4, true },
	{ SYS_pselect6, 4, true },
	{ SYS_futex, 3, true },
	{ 449 /* futex_waitv */, 3, true },
	{ SYS_rt_sigtimedwait, 2, true },
	{ SYS_semtimedop, 3, true },
	{ SYS_mq_timedreceive, 4, true },
	{ SYS_mq_timedsend, 4, true },
	{ SYS_recvmmsg, 4, true },
	{ SYS_io_getevents, 4, true },
	{ SYS_io_pgetevents, 4, true },
};

/* Those that give up after the time that their socket has been given, which is their first argument. */
static const uint16_t socket_calls[] = {
	SYS_read,   SYS_readv,   SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_write,   SYS_writev,
	SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_connect, SYS_accept,   SYS_accept4, SYS_sendfile,
};

static uint64_t hex_at(const char **at)
{
	uint64_t n = 0;

	for (*at += 3; **at > ' '; ++*at) /* " 0x" */
		n = n << 4 | (uint64_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
	return n;
}

/* A wait that ends by itself. */
static bool is_timed(uint64_t number, const uint64_t *args)
{
	for (size_t i = 0; i < sizeof(timed_calls) / sizeof(*timed_calls); i++)
		if (timed_calls[i].number == number)
			return timed_calls[i].arg < 0 ||
			       (timed_calls[i].at ? args[timed_calls[i].arg] != 0 : (int)args[timed_calls[i].arg] > 0);
	return false;
}

static bool is_socket(pid_t pid, int fd)
{
	char path[64], *end;
	struct stat st;

	end = vtb_proc_put_number(vtb_proc_put(path, "/proc/"), (uint64_t)pid);
	vtb_proc_put_number(vtb_proc_put(end, "/fd/"), (uint64_t)fd);
	return sys3(SYS_stat, (long)path, (long)&st, 0) == 0 && S_ISSOCK(st.st_mode);
}

static bool gives_up(int fd, int option)
{
	struct timeval time = { 0 };
	socklen_t size = sizeof(time);

	return sys6(SYS_getsockopt, fd, SOL_SOCKET, option, (long)&time, (long)&size, 0) != 0 || time.tv_sec ||
	       time.tv_usec;
}

/* Also where nobody can tell. */
static bool socket_gives_up(pid_t pid, int fd)
{
	const long process = sys3(SYS_pidfd_open, pid, 0, 0);
	const long copy = process < 0 ? process : sys3(SYS_pidfd_getfd, process, fd, 0);
	const bool r = copy < 0 || gives_up((int)copy, SO_RCVTIMEO) || gives_up((int)copy, SO_SNDTIMEO);

	if (copy >= 0)
		sys3(SYS_close, copy, 0, 0);
	if (process >= 0)
		sys3(SYS_close, process, 0, 0);
	return r;
}

static bool may_give_up(pid_t pid, uint64_t number, const uint64_t *args)
{
	for (size_t i = 0; i < sizeof(socket_calls) / sizeof(*socket_calls); i++)
		if (socket_calls[i] == number)
			return is_socket(pid, (int)args[0]) && socket_gives_up(pid, (int)args[0]);
	return false;
}

/* "230 0x0 0x0 ...": the call that it waits in; "running", "-1 ...": none. */
enum vtb_child_waits vtb_child_waits_in(pid_t pid, const char *tid)
{
	char path[128];
	uint64_t number, args[6];
	const char *at;

	vtb_proc_put(vtb_proc_task(path, pid, tid), "/syscall");
	at = vtb_proc_read(path);
	if (!at) /* of another user's it is not told; one that has ended meanwhile is none in the next look */
		return VTB_CHILD_WAITS_FOR_TIME;
	if (*at < '0' || *at > '9')
		return VTB_CHILD_WAITS_FOR_OTHERS;
	number = vtb_proc_number(&at);
	for (uint32_t i = 0; i < 6; i++)
		args[i] = *at ? hex_at(&at) : 0;
	if (vtb_child_files_are_on && vtb_child_files_asks(number, args))
		return VTB_CHILD_WAITS_FOR_US;
	return is_timed(number, args) || may_give_up(pid, number, args) ? VTB_CHILD_WAITS_FOR_TIME
	                                                                : VTB_CHILD_WAITS_FOR_OTHERS;
}
