/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A descriptor is closed at which another thread waits. In the kernel that thread has the file, whatever becomes of the
 * number: the wait goes on, and ends when something comes, or never. So it does here, at a descriptor of ours for the
 * same file. Whether the thread has made its call by then is no operation; it is taken to have.
 */
#include <fcntl.h>
#include <string.h>

#include "base.h"
#include "signals.h"
#include "syscalls.h"

#define OURS 700 /* from here on: numbers that programs do not get to */
#define HELD_MAX 16u

static struct held {
	int fd, ours;
	uint32_t slot; /* who waits */
} held[HELD_MAX];      /* in this run */
static uint32_t n_held VTB_HISTORY;

static bool waits_at(const struct vtb_rt_thread *t, int fd, const struct vtb_waits *waits)
{
	const struct vtb_call *call = t->sched.call;

	return t != vtb_self && t->base.state == VTB_T_ALIVE && call && waits->at(call, fd) &&
	       !call->prim->ready(t, call);
}

void vtb_closed_under(int fd, const struct vtb_waits *waits)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads && n_held < HELD_MAX; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];
		const long ours = waits_at(t, fd, waits) ? sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, OURS) : -1;

		if (ours < 0)
			continue;
		held[n_held++] = (struct held){ fd, (int)ours, t->base.slot };
		waits->go_on(t->sched.call, fd, (int)ours);
		vtb_sched.slot->outcome.flags |= VTB_OUT_ARRIVED;
	}
}

void vtb_closed_let_go(const struct vtb_rt_thread *t, void (*each)(void *arg, int fd, int ours), void *arg)
{
	for (uint32_t i = n_held; i-- > 0;) {
		const struct held h = held[i];

		if (h.slot != t->base.slot)
			continue;
		held[i] = held[--n_held];
		if (each)
			each(arg, h.fd, h.ours);
		vtb_timers_closed(h.ours);
		vtb_signalfd_closed(h.ours);
		sys3(SYS_close, h.ours, 0, 0);
	}
}

bool vtb_closed_goes_on(const struct vtb_rt_thread *t, const struct vtb_call *call, const greg_t *g,
                        long (*make)(const greg_t *g), long *ret)
{
	greg_t at_ours[NGREG];

	if ((int)call->data == (int)g[REG_RDI])
		return false;
	memcpy(at_ours, g, sizeof(at_ours));
	at_ours[REG_RDI] = (greg_t)call->data;
	if (!call->interrupted)
		*ret = make(at_ours);
	vtb_closed_let_go(t, NULL, NULL);
	return true;
}

int vtb_closed_held(uint32_t i)
{
	return i < n_held ? held[i].ours : -1;
}

void vtb_closed_ends(void)
{
	while (n_held)
		sys3(SYS_close, held[--n_held].ours, 0, 0);
}
