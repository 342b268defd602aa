/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time: how long the program takes by itself, what a run may take, and what is left of a batch that had to end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process_private.h"
#include "futex.h"

#define TICK_MSEC 20

/* Ended, or not within the limit. */
static bool wait_for_end(const struct process_runner *p, struct vtb_child *child, uint32_t limit_msec)
{
	const char *room = vtb_fsview_text(&p->view.plan, p->view.plan.disk);
	const uint64_t until = vtb_now_msec() + limit_msec;
	int status, signal;

	while (vtb_child_poll(child, &status, &signal) != VTB_CHILD_ENDED) {
		if (vtb_now_msec() > until || vtb_stop_check(p->opts.stop, true) < 0 ||
		    (*room && vtb_scratch_is_full(room, p->view.limit)))
			return false;
		poll(NULL, 0, TICK_MSEC);
	}
	return true;
}

int64_t vtb_process_runner_alone(struct vtb_runner *runner, uint32_t limit_msec, struct vtb_error *err)
{
	struct process_runner *p = vtb_process_of(runner);
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct vtb_launch l = { .target = &p->target,
		                      .argv = p->opts.argv,
		                      .cwd = p->opts.cwd,
		                      .block_fd = -1,
		                      .stdio = { null, null, null },
		                      .fds = { -1 },
		                      .view = &p->view.plan };
	const uint64_t began = vtb_now_msec();
	struct vtb_child child = { 0 };
	bool ended;
	int r;

	if (null < 0)
		return vtb_error_set(err, -VTB_E_TARGET, "/dev/null", 0, "it cannot be opened");
	vtb_server_stop(&p->server); /* two of it at a time might meet in files and ports */
	r = vtb_launch_start(&l, &child, err);
	close(null);
	if (r < 0)
		return r;
	ended = wait_for_end(p, &child, limit_msec);
	vtb_child_end(&child);
	return ended ? (int64_t)(vtb_now_msec() - began) : -ETIMEDOUT;
}

size_t vtb_batch_keep(struct batch *b, bool cut, size_t n)
{
	const size_t missing = b->todo && cut ? b->todo[b->again ? 0 : b->taken] : 0;

	for (size_t i = missing; i < n; i++) {
		vtb_exec_fini(&b->execs[i]);
		b->execs[i] = (struct vtb_exec){ 0 };
	}
	return missing;
}

static int more_places(struct batch *b, size_t total)
{
	size_t *todo = realloc(b->todo, (total + 1) * sizeof(*todo));
	struct batch_item *items;

	if (!todo)
		return -ENOMEM;
	b->todo = todo;
	items = realloc(b->items, (total + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	b->items = items;
	return 0;
}

static void grow(struct process_runner *p, struct batch *b, size_t total)
{
	if (total <= b->total || b->n != b->total || more_places(b, total) < 0)
		return;
	memset(b->items + b->total, 0, (total - b->total) * sizeof(*b->items));
	memset(b->execs + b->total, 0, (total - b->total) * sizeof(*b->execs));
	for (size_t i = b->total; i < total; i++)
		b->todo[i] = i;
	vtb_owned_choose(p, b, b->total, total);
	p->base.made += total - b->total;
	b->n = b->total = total;
}

void vtb_batch_tell(struct process_runner *p, struct batch *b)
{
	if (!p->base.ready || b->again || b->taken >= b->n)
		return;
	p->base.ready(&p->base, b->todo[b->taken]);
	grow(p, b, p->base.asked);
}

void vtb_process_runner_set_stop(struct vtb_runner *runner, struct vtb_stop *stop)
{
	struct process_runner *p = vtb_process_of(runner);

	runner->stop = p->opts.stop = p->server.opts.stop = p->check.opts.stop = stop;
	vtb_helpers_set_stop(p, stop);
}

void vtb_process_runner_set_timeout(struct vtb_runner *runner, uint32_t msec)
{
	struct process_runner *p = vtb_process_of(runner);

	p->opts.timeout_msec = p->server.opts.timeout_msec = p->check.opts.timeout_msec = msec;
	p->server.impatient = false;
}
