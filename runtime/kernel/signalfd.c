/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signalfd: an eventfd that counts what is pending for who looks, so that the kernel says whether there is something
 * to read. The signals themselves stay pending: whoever comes first has them, by a signalfd or by sigwait().
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/uio.h>

#include "base.h"
#include "scheduler.h"
#include "signals.h"
#include "syscalls.h"

#define PRIVATE_FD 700   /* out of the program's way */
#define FIRST_PAGE 4096u /* no pointer leads there */
#define PARTS_MOST 1024  /* of a read: UIO_MAXIOV */

static struct signalfd {
	int fd;   /* one of its numbers */
	int ours; /* and one that the program does not have */
	uint64_t mask;
	uint64_t count; /* what it holds */
} first_signalfds[VTB_SIGNALFDS_ROOM], *signalfds = first_signalfds;
static uint32_t signalfds_room = VTB_SIGNALFDS_ROOM, n_signalfds;

static struct signalfd *by_fd(int fd)
{
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].fd == fd)
			return &signalfds[i];
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (vtb_io_is_same_opening(fd, signalfds[i].ours))
			return &signalfds[i];
	return NULL;
}

bool vtb_signalfd_has(int signal)
{
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].mask >> (signal - 1) & 1)
			return true;
	return false;
}

static uint64_t all_masks(void)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < n_signalfds; i++)
		all |= signalfds[i].mask;
	return all;
}

uint64_t vtb_signalfd_due_at(int fd)
{
	const uint64_t due = vtb_timers_due_at(fd);
	const struct signalfd *f = !due && n_signalfds ? by_fd(fd) : NULL;

	return f ? vtb_timers_due_for(f->mask) : due;
}

uint64_t vtb_signalfd_due_in(int epoll)
{
	const uint64_t due = vtb_timers_due_in(epoll), read = n_signalfds ? vtb_timers_due_for(all_masks()) : 0;

	return !due || (read && read < due) ? read : due;
}

bool vtb_signalfd_is(int fd)
{
	return by_fd(fd);
}

static void count(struct signalfd *f, uint64_t n)
{
	uint64_t before;

	if (n == f->count)
		return;
	if (n < f->count) {
		sys3(SYS_read, f->ours, (long)&before, sizeof(before)); /* all of it */
		f->count = 0;
	}
	before = n - f->count;
	if (before)
		sys3(SYS_write, f->ours, (long)&before, sizeof(before));
	f->count = n;
}

void vtb_signalfd_look_as(const struct vtb_rt_thread *t)
{
	uint64_t which;

	for (uint32_t i = 0; i < n_signalfds; i++)
		count(&signalfds[i], vtb_signals_unreceived(t, signalfds[i].mask, &which));
}

/* ---- reading */

static struct signalfd_siginfo record_of(int signal, const siginfo_t *info)
{
	struct signalfd_siginfo record = {
		.ssi_signo = (uint32_t)signal,
		.ssi_code = info->si_code,
		.ssi_pid = (uint32_t)info->si_pid,
		.ssi_uid = info->si_uid,
	};

	if (info->si_code == SI_TIMER) {
		record.ssi_pid = record.ssi_uid = 0;
		record.ssi_tid = (uint32_t)info->si_timerid;
		record.ssi_overrun = (uint32_t)info->si_overrun;
	}
	if (signal == SIGCHLD && info->si_code > 0) {
		record.ssi_status = info->si_status;
		record.ssi_utime = (uint64_t)info->si_utime;
		record.ssi_stime = (uint64_t)info->si_stime;
	} else {
		record.ssi_int = info->si_value.sival_int;
		record.ssi_ptr = (uint64_t)info->si_value.sival_ptr;
	}
	return record;
}

/* Fill one part; how much was written, or an error. */
static long read_part(struct vtb_rt_thread *t, const struct signalfd *f, struct iovec part)
{
	struct signalfd_siginfo *to = part.iov_base, record;
	const size_t room = part.iov_len / sizeof(*to);
	size_t n = 0;
	uint64_t which;
	siginfo_t info;
	int signal;

	if (!room)
		return -EINVAL;
	if ((uint64_t)to < FIRST_PAGE)
		return -EFAULT;
	for (; n < room && vtb_signals_unreceived(t, f->mask, &which); n++) {
		signal = vtb_signals_take(t, which, &info);
		record = record_of(signal, &info);
		vtb_engine_written(&to[n], sizeof(record));
		memcpy(&to[n], &record, sizeof(record));
	}
	return n ? (long)(n * sizeof(*to)) : -EAGAIN;
}

static long read_parts(struct vtb_rt_thread *t, const struct signalfd *f, const struct iovec *parts, uint64_t n)
{
	long done = 0, r;

	if (n > PARTS_MOST)
		return -EINVAL;
	for (uint64_t i = 0; i < n; i++) {
		r = read_part(t, f, parts[i]);
		if (r < 0)
			return done ? done : r;
		done += r;
		if ((size_t)r < parts[i].iov_len)
			break;
	}
	return done;
}

bool vtb_signalfd_read(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	const struct iovec whole = { (void *)g[REG_RSI], (size_t)g[REG_RDX] };
	const struct signalfd *f =
	    n_signalfds && (g[REG_RAX] == SYS_read || g[REG_RAX] == SYS_readv) ? by_fd((int)g[REG_RDI]) : NULL;

	if (!f)
		return false;
	*ret = g[REG_RAX] == SYS_read ? read_part(t, f, whole)
	                              : read_parts(t, f, (const struct iovec *)g[REG_RSI], (uint64_t)g[REG_RDX]);
	if (*ret > 0) {
		vtb_progress_outside(t);
		vtb_sched_recheck();
	}
	return true;
}

/* ---- making one, and its end */

static long new_signalfd(uint64_t mask, int flags)
{
	long fd, ours;

	signalfds = vtb_limit_grow(signalfds, &signalfds_room, n_signalfds, sizeof(*signalfds), VTB_LIMIT_SIGNALFDS);
	fd = sys3(SYS_eventfd2, 0, (flags & SFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & SFD_CLOEXEC ? EFD_CLOEXEC : 0),
	          0);
	if (fd < 0)
		return fd;
	ours = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, PRIVATE_FD);
	if (ours < 0)
		vtb_limit_reached(VTB_LIMIT_DESCRIPTORS);
	signalfds[n_signalfds++] = (struct signalfd){ .fd = (int)fd, .ours = (int)ours, .mask = mask };
	return fd;
}

void vtb_signalfd_closed(int fd)
{
	struct signalfd *f = by_fd(fd);

	if (!f)
		return;
	f->fd = vtb_io_other_number(fd, f->ours);
	if (f->fd >= 0)
		return;
	sys3(SYS_close, f->ours, 0, 0);
	*f = signalfds[--n_signalfds];
}

static long change_mask(int fd, uint64_t mask)
{
	struct signalfd *f = by_fd(fd);

	if (!f)
		return sys3(SYS_fcntl, fd, F_GETFD, 0) < 0 ? -EBADF : -EINVAL;
	vtb_signals_opened(f->mask | mask);
	f->mask = mask;
	vtb_sched_recheck();
	return fd;
}

bool vtb_signalfd_set(const greg_t *g, long *ret)
{
	const uint64_t never = 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1);
	const int flags = (int)(g[REG_RAX] == SYS_signalfd4 ? g[REG_R10] : 0);

	if (g[REG_RDX] != sizeof(uint64_t) || flags & ~(SFD_CLOEXEC | SFD_NONBLOCK) ||
	    (uint64_t)g[REG_RSI] < FIRST_PAGE)
		return false; /* the kernel says what is wrong with it */
	*ret = (int)g[REG_RDI] == -1 ? new_signalfd(*(const uint64_t *)g[REG_RSI] & ~never, flags)
	                             : change_mask((int)g[REG_RDI], *(const uint64_t *)g[REG_RSI] & ~never);
	return true;
}
