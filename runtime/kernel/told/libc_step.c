/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a function of libc does inside is one step of the thread that calls it. libc makes system calls while it holds
 * locks of its own, which no model knows: were each an operation, another thread could go on in between, come upon the
 * lock, and be in an order that no operation tells.
 *
 *     an operation that stands for it all     the function: lock  open  read  close  unlock
 *     ─────────── a schedule point ──────────►                no schedule point ──────────►
 *
 * A call that has to wait for another thread is an operation as ever. So is one on another descriptor than the step's,
 * if it has one: the operation before does not stand for it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/stat.h>

#include "base.h"
#include "syscalls.h"

static bool is_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	const struct timespec none = { 0 };

	return sys6(SYS_ppoll, (long)&p, 1, (long)&none, 0, 0, 0) != 0;
}

/* Terminals, and devices of random numbers, which are answered otherwise. */
static bool is_device(int fd)
{
	struct stat st;

	return sys3(SYS_fstat, fd, (long)&st, 0) == 0 && S_ISCHR(st.st_mode);
}

/* A pipe that has room for little is ready, too. */
static bool has_room(int fd, uint64_t size)
{
	return vtb_engine_captured(fd) ||
	       (is_ready(fd, POLLOUT) && (size <= PIPE_BUF || vtb_io_what(fd) == VTB_IO_DESCRIPTOR));
}

static bool is_transfer(const struct vtb_syscall *row)
{
	return row->wait == WAIT_INPUT || row->wait == WAIT_OUTPUT;
}

/* As libc's once does at its end. */
static bool wakes_nobody(const greg_t *g)
{
	return ((int)g[REG_RSI] & FUTEX_CMD_MASK) == FUTEX_WAKE && !vtb_queue_waiter((const void *)g[REG_RDI], 0);
}

static bool is_part(const struct vtb_syscall *row, const greg_t *g, int32_t step)
{
	const int fd = (int)g[REG_RDI];
	const bool any = step == VTB_STEP_ANY, ours = any || fd == step - 1;

	switch (row->wait) {
	case WAIT_INPUT:
		return ours && is_ready(fd, POLLIN) && !is_device(fd);
	case WAIT_OUTPUT:
		return ours && has_room(fd, (uint64_t)g[REG_RDX]);
	case WAIT_CHANGE:
	case WAIT_ASK:
		return ours;
	case WAIT_FUTEX:
		return wakes_nobody(g);
	case WAIT_LOOK:
		return any && !vtb_fifo_is_opened(g);
	case WAIT_NUMBERS:
	case WAIT_NAMES:
		return any;
	default:
		return false;
	}
}

/* Whoever leaves the function at a wait, because it is cancelled or a handler jumps, leaves the step with it. */
bool vtb_step_wait(const struct vtb_syscall *row, greg_t *g, long *ret)
{
	struct vtb_rt_thread *t = vtb_self;
	const int32_t step = t->kernel.step;
	const bool part = step && is_part(row, g, step);
	bool done = false;

	t->kernel.step = 0;
	if (!part) {
		done = vtb_syscall_wait(row, g, ret);
	} else if (row->wait == WAIT_FUTEX) { /* answered here: no engine need ask how it is undone */
		*ret = 0;
		done = true;
	} else if (is_transfer(row)) {
		vtb_cancellation_point(t);
	}
	t->kernel.step = step;
	return done;
}
