/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open() of a named pipe for one direction waits until somebody opens it for the other. In the kernel that would be
 * with the baton in hand. Asked not to wait, it lets a reader in at once, who then waits here for a writer, and refuses
 * a writer as long as there is no reader.
 */
#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "syscalls.h"

/* vtb_call.data of the wait points to it. */
struct opening {
	greg_t g[NGREG]; /* the call, as one that does not wait */
	long fd;         /* or why not */
};

static int flags_register(const greg_t *g)
{
	return g[REG_RAX] == SYS_open ? REG_RSI : g[REG_RAX] == SYS_openat ? REG_RDX : -1;
}

bool vtb_fifo_is_opened(const greg_t *g)
{
	const int reg = flags_register(g);
	struct stat st;
	long r;

	if (reg < 0 || (g[reg] & O_ACCMODE) == O_RDWR || g[reg] & (O_NONBLOCK | O_PATH | O_DIRECTORY))
		return false;
	r = sys6(SYS_newfstatat, reg == REG_RSI ? AT_FDCWD : g[REG_RDI], reg == REG_RSI ? g[REG_RDI] : g[REG_RSI],
	         (long)&st, 0, 0, 0);
	return r == 0 && S_ISFIFO(st.st_mode);
}

static bool may_write(int fd)
{
	const long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* Somebody of ours has it open to write; or has come and gone; or has written, from wherever. */
static bool has_writer(int fd)
{
	const struct timespec none = { 0 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct stat mine, other;

	if (sys6(SYS_ppoll, (long)&p, 1, (long)&none, 0, 0, 0) != 0 || sys3(SYS_fstat, fd, (long)&mine, 0) < 0)
		return true;
	for (int i = vtb_io_next(-1, &other); i < INT_MAX; i = vtb_io_next(i, &other))
		if (other.st_ino == mine.st_ino && other.st_dev == mine.st_dev && may_write(i))
			return true;
	return false;
}

static bool opened(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct opening *o = (struct opening *)call->data;

	if (o->fd == -ENXIO) /* for writing, and there was no reader */
		o->fd = vtb_syscall_make(o->g);
	return (o->fd != -ENXIO && (o->fd < 0 || may_write((int)o->fd) || has_writer((int)o->fd))) ||
	       (t->sched.cancelled && t->sched.cancel_enabled);
}

static const struct vtb_primitive primitive_opening = { "open of a named pipe", opened, NULL, NULL, false, NULL };

bool vtb_fifo_waits(const struct vtb_call *call)
{
	return call->prim == &primitive_opening;
}

bool vtb_fifo_open(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	struct vtb_call call = { .prim = &primitive_opening,
		                 .kind = VTB_E_IO_READ,
		                 .obj = vtb_io_name(VTB_IO_FILES, 0),
		                 .pc = t->base.pc,
		                 .interrupt = VTB_INTERRUPT_RESTARTS };
	struct opening o;
	bool leaves;

	if (!vtb_fifo_is_opened(g))
		return false;
	vtb_engine_refuse_call(g[REG_RAX], " of a named pipe");
	memcpy(o.g, g, sizeof(o.g));
	o.g[flags_register(g)] |= O_NONBLOCK;
	o.fd = vtb_syscall_make(o.g);
	vtb_sched_recheck(); /* this may be what a writer waits for */
	call.data = (uint64_t)&o;
	*ret = vtb_ctl_op(t, &call);
	leaves = call.interrupted || (t->sched.cancelled && t->sched.cancel_enabled);
	if (o.fd >= 0 && leaves)
		sys3(SYS_close, o.fd, 0, 0);
	vtb_cancellation_point(t);
	if (leaves)
		return true;
	if (o.fd >= 0)
		sys3(SYS_fcntl, o.fd, F_SETFL, sys3(SYS_fcntl, o.fd, F_GETFL, 0) & ~O_NONBLOCK);
	vtb_sched_recheck();
	*ret = o.fd;
	return true;
}
