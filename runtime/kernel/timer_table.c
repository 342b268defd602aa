/* SPDX-License-Identifier: BSD-2-Clause */
#include "timer_table.h"

#include "signals.h"
#include "syscalls.h"

static struct timer first_timers[VTB_TIMERS_ROOM], **more_timers; /* blocks of as many */
static uint32_t n_more, more_room;
uint32_t vtb_n_timers;

struct timer *vtb_timer_at(uint32_t i)
{
	const uint32_t block = i / VTB_TIMERS_ROOM;

	return block ? &more_timers[block - 1][i % VTB_TIMERS_ROOM] : &first_timers[i];
}

/* Room for timer i. */
static void have_room(uint32_t i)
{
	static struct timer *few[1];

	if (i < (n_more + 1) * VTB_TIMERS_ROOM)
		return;
	if (!more_room) {
		more_timers = few;
		more_room = 1;
	}
	more_timers = vtb_limit_grow(more_timers, &more_room, n_more, sizeof(*more_timers), VTB_LIMIT_TIMERS);
	more_timers[n_more] = vtb_rt_alloc(VTB_TIMERS_ROOM * sizeof(**more_timers));
	if (!more_timers[n_more++])
		vtb_limit_reached(VTB_LIMIT_TIMERS);
}

uint32_t vtb_timer_new(uint8_t kind, clockid_t clock)
{
	uint32_t i = 1;

	while (i < vtb_n_timers && vtb_timer_at(i)->kind != TIMER_FREE)
		i++;
	have_room(i);
	*vtb_timer_at(i) = (struct timer){ .kind = kind, .clock = clock, .slot = VTB_SIGNAL_PROCESS, .number = i };
	vtb_n_timers = i < vtb_n_timers ? vtb_n_timers : i + 1;
	return i;
}

void vtb_tell_timers(struct vtb_rt_thread *t, unsigned kind)
{
	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(t))
		vtb_op(t, &vtb_primitive_always, kind, vtb_io_name(VTB_IO_TIMERS, 0));
}

/* ---- timers behind descriptors */

static bool is_descriptor(uint32_t i)
{
	return vtb_timer_at(i)->kind == TIMER_DESCRIPTOR;
}

struct timer *vtb_timer_of(int fd)
{
	for (uint32_t i = 0; i < vtb_n_timers; i++)
		if (is_descriptor(i) && vtb_timer_at(i)->fd == fd)
			return vtb_timer_at(i);
	for (uint32_t i = 0; i < vtb_n_timers; i++)
		if (is_descriptor(i) && vtb_io_is_same_opening(fd, vtb_timer_at(i)->write_end))
			return vtb_timer_at(i);
	return NULL;
}

uint64_t vtb_timers_due_for(uint64_t signals)
{
	uint64_t due = 0;

	for (uint32_t i = 0; i < vtb_n_timers; i++) {
		const struct timer *m = vtb_timer_at(i);

		if (m->kind == TIMER_SIGNAL && m->due && signals >> (m->signal - 1) & 1 && (!due || m->due < due))
			due = m->due;
	}
	return due;
}

uint64_t vtb_timers_due_at(int fd)
{
	const struct timer *m = vtb_timer_of(fd);

	return m ? m->due : 0;
}

bool vtb_timers_is(int fd)
{
	return vtb_timer_of(fd);
}

uint64_t vtb_timers_due_in(int epoll)
{
	uint64_t due = 0;

	for (uint32_t i = 0; i < vtb_n_timers; i++)
		for (uint32_t k = 0; is_descriptor(i) && k < VTB_EPOLLS_ROOM; k++)
			if (vtb_timer_at(i)->epolls[k] == epoll + 1 && vtb_timer_at(i)->due &&
			    (!due || vtb_timer_at(i)->due < due))
				due = vtb_timer_at(i)->due;
	return due;
}

void vtb_timers_closed(int fd)
{
	struct timer *m = vtb_timer_of(fd);

	if (!m)
		return;
	m->fd = vtb_io_other_number(fd, m->write_end);
	if (m->fd >= 0)
		return;
	sys3(SYS_close, m->write_end, 0, 0);
	*m = (struct timer){ 0 };
}
