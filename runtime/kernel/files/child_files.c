/* SPDX-License-Identifier: BSD-2-Clause */
#include "child_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base.h"
#include "created.h"
#include "created_private.h"
#include "follow.h"
#include "syscalls.h"
#include "view.h"

#define LISTENERS_MAX 256u
#define SOCKET_FD 870 /* and above: out of the program's way */
#define TICK_MSEC 10  /* until we see that the tool wants us to end */

enum { RUN, SOCKET, FIRST };

/* Of the process that forks runs; its runs have a copy. */
static struct {
	bool begun, execs;
	bool lets;    /* changes of what was there before are let through */
	bool entered; /* this process has a filter, or inherits one */
	int ours, theirs;
	uint64_t inode; /* of theirs, which a run may close */
	struct pollfd at[FIRST + LISTENERS_MAX];
	bool exact[FIRST + LISTENERS_MAX];
	uint32_t n;
} C = { .ours = -1, .theirs = -1 };

/* Not among those, for who must not call here. */
bool vtb_child_files_are_on;

/* ---- the server: before the first run */

static int out_of_the_way(int fd)
{
	const long high = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, SOCKET_FD);

	sys3(SYS_close, fd, 0, 0);
	return (int)high;
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return sys3(SYS_fstat, fd, (long)&st, 0) == 0 ? st.st_ino : 0;
}

static bool has_no_new_rights(void)
{
	return sys6(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1;
}

void vtb_child_files_begin(void)
{
	int ends[2];
	long self;

	if (C.begun)
		return;
	C.begun = true;
	if (!vtb_created || vtb_view_is_private() || vtb_rt.block->follow ||
	    !(vtb_rt.block->means & VTB_MEANS_DISPATCH) || !vtb_created_for_children() ||
	    sys6(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, (long)ends, 0, 0) < 0)
		return;
	C.ours = out_of_the_way(ends[0]);
	C.theirs = out_of_the_way(ends[1]);
	C.inode = inode_of(C.theirs);
	C.execs = !has_no_new_rights();
	self = sys3(SYS_pidfd_open, sys3(SYS_getpid, 0, 0, 0), 0, 0);
	vtb_child_files_are_on = self >= 0 && C.ours >= 0 && C.inode && vtb_child_filter(C.execs);
	if (self >= 0)
		sys3(SYS_close, self, 0, 0);
}

/* ---- the child */

static void hand_over(int listener, bool exact)
{
	char byte = exact;
	struct iovec part = { &byte, 1 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	const struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *c = (struct cmsghdr *)control;
	long r;

	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), &listener, sizeof(listener));

	do
		r = sys3(SYS_sendmsg, C.theirs, (long)&m, MSG_NOSIGNAL);
	while (r == -EINTR);
	if (r < 0)
		vtb_created_stays();
	sys3(SYS_close, listener, 0, 0);
}

void vtb_child_files_watch(void)
{
	const unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	const struct sock_fprog *filter = vtb_child_filter(C.execs);
	bool exact = true;
	long listener;

	if (inode_of(C.theirs) != C.inode) { /* nobody would answer */
		vtb_created_stays();
		return;
	}
	sys6(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
	listener =
	    sys3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, (long)filter);
	if (listener == -EINVAL) { /* before Linux 5.19 */
		exact = false;
		listener = sys3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, (long)filter);
	}
	if (listener < 0)
		vtb_created_stays();
	else
		hand_over((int)listener, exact);
}

void vtb_child_files_forked(void)
{
	if (!vtb_child_files_are_on) /* without dispatch nobody has seen it being made */
		vtb_created_unseen();
	else if (!C.entered)
		vtb_child_files_watch();
	C.entered = vtb_child_files_are_on;
}

bool vtb_child_files_follow(const greg_t *g, bool seen)
{
	return vtb_child_files_are_on && g[REG_RAX] != SYS_execve && g[REG_RAX] != SYS_execveat &&
	       (vtb_follow_forks() || (seen && vtb_vfork_has_stack(g)));
}

bool vtb_child_files_on(void)
{
	return vtb_child_files_are_on;
}

/* ---- the server: while a run goes on */

static enum child_answer take_listener(void)
{
	char byte = 0;
	struct iovec part = { &byte, 1 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	int fd;

	if (sys3(SYS_recvmsg, C.ours, (long)&m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
		return CHILD_DONE;
	if (m.msg_controllen < CMSG_LEN(sizeof(int))) /* there was no descriptor left */
		return CHILD_STOPS;
	memcpy(&fd, CMSG_DATA((struct cmsghdr *)control), sizeof(fd));
	if (C.n == FIRST + LISTENERS_MAX) {
		sys3(SYS_close, fd, 0, 0);
		return CHILD_STOPS;
	}
	C.exact[C.n] = byte;
	C.at[C.n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return CHILD_DONE;
}

static void forget_listener(uint32_t i)
{
	sys3(SYS_close, C.at[i].fd, 0, 0);
	C.n--;
	C.at[i] = C.at[C.n];
	C.exact[i] = C.exact[C.n];
}

static enum child_answer ask(uint32_t i)
{
	static struct {
		struct seccomp_notif n;
		char more[256]; /* of a newer kernel's */
	} q;
	struct seccomp_notif_resp let = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	enum child_answer r = CHILD_CHANGES;

	memset(&q, 0, sizeof(q));
	if (sys3(SYS_ioctl, C.at[i].fd, (long)SECCOMP_IOCTL_NOTIF_RECV, (long)&q.n) < 0)
		return CHILD_DONE; /* it has been killed meanwhile */
	if (q.n.data.arch == AUDIT_ARCH_X86_64)
		r = vtb_child_answer(C.at[i].fd, &q.n, C.exact[i]);
	if (r != CHILD_CHANGES || !C.lets)
		return r;
	vtb_created_stays();
	let.id = q.n.id;
	sys3(SYS_ioctl, C.at[i].fd, (long)SECCOMP_IOCTL_NOTIF_SEND, (long)&let);
	return CHILD_DONE;
}

static enum child_answer answer_all(void)
{
	enum child_answer r = CHILD_DONE;

	for (uint32_t i = C.n; i-- > FIRST && r == CHILD_DONE;)
		if (C.at[i].revents & POLLIN)
			r = ask(i);
		else if (C.at[i].revents)
			forget_listener(i);
	return r;
}

static void forget_all(void)
{
	do
		while (C.n > FIRST)
			forget_listener(C.n - 1);
	while (take_listener() != CHILD_DONE || C.n > FIRST);
}

/* CHILD_DONE: the run has ended. */
static enum child_answer serve_until_end(pid_t run)
{
	enum child_answer r = CHILD_DONE;

	while (r == CHILD_DONE) {
		if (__atomic_load_n(&vtb_rt.block->stop, __ATOMIC_ACQUIRE))
			sys3(SYS_kill, run, SIGKILL, 0);
		if (sys3(SYS_poll, (long)C.at, C.n, TICK_MSEC) <= 0)
			continue;
		r = answer_all();
		if (r == CHILD_DONE && C.at[SOCKET].revents)
			r = take_listener();
		if (r == CHILD_DONE && C.at[RUN].revents)
			break;
	}
	return r;
}

static void wait_for(pid_t run, int *ret_status)
{
	while (sys6(SYS_wait4, run, (long)ret_status, 0, 0, 0, 0) == -EINTR)
		;
}

bool vtb_child_files_serve(pid_t run, int *ret_status)
{
	const bool notes = vtb_created && !vtb_view_is_private();
	const long end = notes ? sys3(SYS_pidfd_open, run, 0, 0) : -1;
	enum child_answer r = vtb_child_files_are_on ? CHILD_STOPS : CHILD_DONE;

	if (end >= 0) {
		C.at[RUN] = (struct pollfd){ .fd = (int)end, .events = POLLIN };
		C.at[SOCKET] = (struct pollfd){ .fd = vtb_child_files_are_on ? C.ours : -1, .events = POLLIN };
		C.n = FIRST;
		vtb_created_as_children(vtb_child_files_are_on);
		r = serve_until_end(run);
		vtb_created_as_children(false);
		sys3(SYS_close, end, 0, 0);
	}
	if (r != CHILD_DONE)
		sys3(SYS_kill, run, SIGKILL, 0);
	wait_for(run, ret_status);
	C.lets |= r == CHILD_CHANGES;
	vtb_child_files_are_on &= r != CHILD_STOPS;
	return r == CHILD_DONE;
}

void vtb_child_files_end(void)
{
	if (C.ours >= 0 && C.n)
		forget_all();
}
