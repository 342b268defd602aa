/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A descriptor is closed at which another thread waits. In the kernel that thread has the file, whatever becomes of the
 * number: the wait goes on, and ends when something comes, or never. So it does here, at a descriptor of ours for the
 * same file. Whether the thread has made its call by then is no operation; it is taken to have.
 */
#include <fcntl.h>
#include <string.h>

#include "base.h"
#include "syscalls.h"

#define OURS 700 /* from here on: numbers that programs do not get to */
#define HELD_MAX 16u

static int held[HELD_MAX]; /* in this run */
static uint32_t n_held VTB_HISTORY;

typedef enum vtb_wait (*waits_fn)(const struct vtb_call *call);

static bool waits_at(const struct vtb_rt_thread *t, int fd, waits_fn waits_for)
{
	const struct vtb_call *call = t->sched.call;

	return t != vtb_self && t->base.state == VTB_T_ALIVE && call && waits_for(call) == WAIT_INPUT &&
	       (int)call->data == fd && !call->prim->ready(t, call);
}

void vtb_closed_under(int fd, waits_fn waits_for)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads && n_held < HELD_MAX; i++) {
		const long ours =
		    waits_at(vtb_rt.threads[i], fd, waits_for) ? sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, OURS) : -1;

		if (ours < 0)
			continue;
		held[n_held++] = (int)ours;
		vtb_rt.threads[i]->sched.call->data = (uint64_t)ours;
		vtb_sched.slot->outcome.flags |= VTB_OUT_ARRIVED;
	}
}

static void let_go(int ours)
{
	for (uint32_t i = 0; i < n_held; i++)
		if (held[i] == ours)
			held[i] = held[--n_held];
	sys3(SYS_close, ours, 0, 0);
}

bool vtb_closed_goes_on(const struct vtb_call *call, const greg_t *g, long (*make)(const greg_t *g), long *ret)
{
	greg_t at_ours[NGREG];

	if ((int)call->data == (int)g[REG_RDI])
		return false;
	memcpy(at_ours, g, sizeof(at_ours));
	at_ours[REG_RDI] = (greg_t)call->data;
	if (!call->interrupted)
		*ret = make(at_ours);
	let_go((int)call->data);
	return true;
}

void vtb_closed_ends(void)
{
	while (n_held)
		let_go(held[0]);
}
