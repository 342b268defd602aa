/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that never wait, but that other threads can tell from their not being made yet: an operation before
 * them. What is read of input and output depends on all of it (dpor_relation.c); so reads stand for all that looks at
 * several descriptors, or that may find others.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base.h"
#include "named.h"
#include "syscalls.h"

/* fstat by another name, as stdio makes it. */
static bool names_nothing(const greg_t *g)
{
	return (g[REG_RAX] == SYS_newfstatat && g[REG_R10] & AT_EMPTY_PATH) ||
	       (g[REG_RAX] == SYS_statx && g[REG_RDX] & AT_EMPTY_PATH);
}

/* What is changed, or from where its name leads to it, a descriptor says: whoever closes it decides, too. */
static bool goes_by_descriptor(const struct vtb_syscall *row, const greg_t *g)
{
	return g[REG_RAX] == SYS_fchdir || vtb_named(row, g).dir != AT_FDCWD ||
	       vtb_named_source(row, g).dir != AT_FDCWD;
}

static bool is_open(int fd)
{
	return sys3(SYS_fcntl, fd, F_GETFD, 0) >= 0;
}

/* What the call is about, and as what it is told. */
struct told {
	const void *object;
	unsigned kind; /* 0: it is not told */
	int fd;        /* that it is about, + 1; 0: none */
};

/* A descriptor that is not there may have been any, or may be made. */
static struct told of_descriptor(int fd, bool changes)
{
	struct told told = { .object = vtb_io_object(fd), .fd = fd + 1 };

	told.kind = changes && is_open(fd) ? VTB_E_IO_WRITE : VTB_E_IO_READ;
	return told;
}

#define TOLD(object, kind) ((struct told){ object, kind, 0 })

static struct told of_timer(const greg_t *g)
{
	const void *timers = vtb_io_name(VTB_IO_TIMERS, 0);

	switch (g[REG_RAX]) {
	case SYS_timerfd_create:
		return TOLD(vtb_io_name(VTB_IO_NUMBERS, 0), VTB_E_IO_READ);
	case SYS_timerfd_settime:
	case SYS_timerfd_gettime:
		return of_descriptor((int)g[REG_RDI], g[REG_RAX] == SYS_timerfd_settime);
	default:
		return TOLD(timers, g[REG_RAX] == SYS_getitimer ? VTB_E_IO_READ : VTB_E_IO_WRITE);
	}
}

/* Of two calls that get a number each, the first one gets the lower; who opens gets one. What a call does that is not
 * in the table nobody knows. */
static struct told told_of(const struct vtb_syscall *row, const greg_t *g)
{
	struct told told;

	if (!row->name)
		return TOLD(vtb_io_name(VTB_IO_FILES, 0), VTB_E_IO_READ);
	switch (row->wait) {
	case WAIT_NUMBERS:
		return TOLD(vtb_io_name(VTB_IO_NUMBERS, 0), VTB_E_IO_READ);
	case WAIT_LOOK:
		return TOLD(vtb_io_name(VTB_IO_FILES, 0), names_nothing(g) ? 0 : VTB_E_IO_READ);
	case WAIT_NAMES:
		return TOLD(vtb_io_name(VTB_IO_FILES, 0), goes_by_descriptor(row, g) ? VTB_E_IO_READ : VTB_E_IO_WRITE);
	case WAIT_CHANGE:
		told = of_descriptor((int)g[REG_RDI], true);
		if (g[REG_RAX] == SYS_close && told.kind == VTB_E_IO_WRITE)
			told.kind = VTB_E_IO_CLOSE;
		return told;
	case WAIT_ASK:
	case WAIT_TRY:
		return of_descriptor((int)g[REG_RDI], false);
	case WAIT_TIMER:
		return of_timer(g);
	case WAIT_SIGNAL: /* a new signalfd */
		return TOLD(vtb_io_name(VTB_IO_NUMBERS, 0),
		            g[REG_RAX] == SYS_signalfd || g[REG_RAX] == SYS_signalfd4 ? VTB_E_IO_READ : 0);
	default:
		return TOLD(NULL, 0);
	}
}

void vtb_syscall_tell(struct vtb_rt_thread *t, const struct vtb_syscall *row, const greg_t *g)
{
	struct told told;
	struct vtb_call call;

	if (!vtb_sched.active || vtb_sched.exiting || vtb_sched_alone(t))
		return;
	if (g[REG_RAX] == SYS_close)
		vtb_try_ends_locks(t, (int)g[REG_RDI]);
	else if ((g[REG_RAX] == SYS_dup2 || g[REG_RAX] == SYS_dup3) && g[REG_RDI] != g[REG_RSI])
		vtb_try_ends_locks(t, (int)g[REG_RSI]);
	told = told_of(row, g);
	if (!told.kind)
		return;
	call = (struct vtb_call){ .prim = told.fd ? &vtb_primitive_of_descriptor : &vtb_primitive_always,
		                  .kind = (uint8_t)told.kind,
		                  .obj = told.object,
		                  .data = (uint64_t)(told.fd - 1),
		                  .pc = t->base.pc };
	vtb_ctl_op(t, &call);
}
