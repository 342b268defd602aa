/* SPDX-License-Identifier: BSD-2-Clause */
/* signalfd: a pipe into which signals of its set go that nobody takes otherwise. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>

#include "base.h"
#include "scheduler.h"
#include "signals.h"

#define REAL_TIME 32 /* the first one, as the kernel counts */
#define TOLD 64u     /* signals that may stand in one unread, of which it is known which they are */

static struct signalfd {
	int fd, write_end;
	uint64_t mask;
	uint8_t told[TOLD]; /* what has gone into it, as a ring */
	uint32_t n_told;
} first_signalfds[VTB_SIGNALFDS_ROOM], *signalfds = first_signalfds;
static uint32_t signalfds_room = VTB_SIGNALFDS_ROOM, n_signalfds;

/* Of a signal that is no real-time signal one is pending at most: what is sent until that is read is lost. */
static bool is_unread(const struct signalfd *f, int signal)
{
	int bytes = 0;

	if (signal >= REAL_TIME || sys3(SYS_ioctl, f->write_end, FIONREAD, (long)&bytes) < 0)
		return false;
	for (uint32_t k = 0; k < (uint32_t)bytes / sizeof(struct signalfd_siginfo) && k < TOLD; k++)
		if (f->told[(f->n_told - 1 - k) % TOLD] == signal)
			return true;
	return false;
}

static bool tell(struct signalfd *f, int signal, const struct signalfd_siginfo *record)
{
	if (is_unread(f, signal))
		return true;
	if (sys3(SYS_write, f->write_end, (long)record, sizeof(*record)) != sizeof(*record))
		return false;
	f->told[f->n_told++ % TOLD] = (uint8_t)signal;
	return true;
}

bool vtb_signalfd_takes(int signal, const siginfo_t *info)
{
	const struct signalfd_siginfo record = {
		.ssi_signo = (uint32_t)signal,
		.ssi_code = info->si_code,
		.ssi_pid = (uint32_t)info->si_pid,
		.ssi_uid = info->si_uid,
		.ssi_int = info->si_value.sival_int,
		.ssi_ptr = (uint64_t)info->si_value.sival_ptr,
	};

	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].mask >> (signal - 1) & 1 && tell(&signalfds[i], signal, &record))
			return true;
	return false;
}

bool vtb_signalfd_has(int signal)
{
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].mask >> (signal - 1) & 1)
			return true;
	return false;
}

static long new_signalfd(uint64_t mask, int flags)
{
	int ends[2];
	long r;

	signalfds = vtb_limit_grow(signalfds, &signalfds_room, n_signalfds, sizeof(*signalfds), VTB_LIMIT_SIGNALFDS);
	r = sys3(SYS_pipe2, (long)ends, (flags & SFD_CLOEXEC ? O_CLOEXEC : 0) | (flags & SFD_NONBLOCK ? O_NONBLOCK : 0),
	         0);
	if (r < 0)
		return r;
	r = sys6(SYS_fcntl, ends[1], F_DUPFD_CLOEXEC, 700, 0, 0, 0);
	sys3(SYS_close, ends[1], 0, 0);
	if (r < 0)
		vtb_limit_reached(VTB_LIMIT_DESCRIPTORS);
	signalfds[n_signalfds++] = (struct signalfd){ .fd = ends[0], .write_end = (int)r, .mask = mask };
	return ends[0];
}

bool vtb_signalfd_is(int fd)
{
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].fd == fd)
			return true;
	return false;
}

void vtb_signalfd_closed(int fd)
{
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].fd == fd) {
			sys3(SYS_close, signalfds[i].write_end, 0, 0);
			signalfds[i] = signalfds[--n_signalfds];
			return;
		}
}

bool vtb_signalfd_set(const greg_t *g, long *ret)
{
	const uint64_t mask = *(const uint64_t *)g[REG_RSI];

	*ret = -EINVAL;
	if ((int)g[REG_RDI] == -1)
		*ret = new_signalfd(mask, (int)(g[REG_RAX] == SYS_signalfd4 ? g[REG_R10] : 0));
	for (uint32_t i = 0; i < n_signalfds; i++)
		if (signalfds[i].fd == (int)g[REG_RDI]) {
			signalfds[i].mask = mask;
			*ret = signalfds[i].fd;
		}
	vtb_signals_feed();
	return true;
}
