/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which engine runs the program: the fastest that can, and from there on to slower ones. */
#include <stdio.h>

#include "process_private.h"
#include "vtb/log.h"

#define DEFAULT_SCHEDULE (64u << 10)
#define DEFAULT_SLOTS 32u
#define DEFAULT_EVENTS (4ull << 20)
#define DEFAULT_EVENTS_MAX (512ull << 20)
#define DEFAULT_TIMEOUT_MSEC 10000u
#define POOL_FIRST 8u

void vtb_process_set_defaults(struct vtb_process_opts *o)
{
	o->timeout_msec = o->timeout_msec ? o->timeout_msec : DEFAULT_TIMEOUT_MSEC;
	o->slots = o->slots ? o->slots : DEFAULT_SLOTS;
	o->events_bytes = o->events_bytes ? o->events_bytes : DEFAULT_EVENTS;
	o->events_max = o->events_max ? o->events_max : DEFAULT_EVENTS_MAX;
	if (o->events_max < o->events_bytes)
		o->events_max = o->events_bytes;
	if (o->engine == VTB_ENGINE_SNAPSHOT || (o->engine == VTB_ENGINE_AUTO && !o->keep_carrier && !o->n_breaks))
		o->carrier = VTB_CARRIER_FIBERS; /* kernel threads cannot be rolled back */
	o->options = (o->options ? o->options : VTB_OPT_ACCESSES | VTB_OPT_VALUES) | VTB_OPT_CAPTURE;
}

int vtb_process_start(struct process_runner *p, struct vtb_error *err)
{
	int r = vtb_server_start(&p->server, err);

	if (r < 0)
		return r;
	if (p->server.opts.engine == VTB_ENGINE_EXEC) /* the modules will be where they were in the last run */
		return 0;
	p->holds = vtb_holds_files(p->server.child.pid);
	p->modules_known = 0;
	if (p->server.opts.engine == VTB_ENGINE_FORKSERVER && !(p->server.block.header->means & VTB_MEANS_DISPATCH) &&
	    p->view.plan.flags && !(p->view.plan.flags & VTB_FSVIEW_EACH)) {
		vtb_view_need(&p->view, "", NULL); /* nobody sees when a run begins to write */
		vtb_server_stop(&p->server);
		return vtb_process_start(p, err);
	}
	return vtb_process_learn_modules(p, err);
}

static void init_server(struct process_runner *p, enum vtb_wire_engine engine)
{
	const struct server_opts opts = {
		.target = &p->target,
		.runtime = &p->runtime,
		.argv = p->opts.argv,
		.cwd = p->opts.cwd,
		.engine = engine,
		.carrier = p->opts.carrier,
		.dirty = p->opts.dirty,
		.options = p->opts.options,
		.slots = engine == VTB_ENGINE_EXEC ? 1 : p->opts.slots,
		.pool = POOL_FIRST,
		.follow = p->opts.follow,
		.timeout_msec = p->opts.timeout_msec,
		.random_addresses = p->opts.random_addresses,
		.schedule_bytes = DEFAULT_SCHEDULE,
		.events_bytes = p->opts.events_bytes,
		.sites = &p->sites,
		.blind = &p->blind,
		.processor = vtb_helpers_first_processor(p),
		.view = &p->view,
		.stop = p->opts.stop,
	};

	vtb_server_fini(&p->server);
	vtb_server_init(&p->server, &opts);
}

/* With the kernel's ids, what the program has kept of them before main must hold in the run, too: no process is copied
 * or rolled back. Nor if copies would share files. */
static bool needs_whole_process(const struct process_runner *p)
{
	return p->opts.options & VTB_OPT_REAL_IDS || p->holds;
}

/* Protected memory is in the way of the kernel, too, which may be all that went wrong. */
static bool may_copy_instead(const struct process_runner *p)
{
	return p->server.opts.engine == VTB_ENGINE_SNAPSHOT && p->opts.dirty == VTB_DIRTY_AUTO &&
	       !needs_whole_process(p) && p->server.block.header && p->server.block.header->dirty == VTB_DIRTY_MPROTECT;
}

static enum vtb_wire_engine slower_engine(const struct process_runner *p)
{
	return p->server.opts.engine == VTB_ENGINE_EXEC || (needs_whole_process(p) && p->opts.engine == VTB_ENGINE_AUTO)
	           ? VTB_ENGINE_EXEC
	           : VTB_ENGINE_FORKSERVER;
}

/* What cannot be undone in place is run in processes of its own, from here on. */
void vtb_process_other_engine(struct process_runner *p)
{
	const struct server old = p->server;

	vtb_info("Another engine: reason=\"%s\", copies=%d", p->engine_reason, may_copy_instead(p));
	if (may_copy_instead(p)) {
		p->opts.dirty = VTB_DIRTY_COPY;
		p->engine_reason[0] = 0; /* it is the same one */
		p->runs = 0;             /* so that the next is of the sample that is checked */
		init_server(p, VTB_ENGINE_SNAPSHOT);
	} else {
		init_server(p, slower_engine(p));
	}
	p->server.accesses = old.accesses;
	p->server.uncontrolled = old.uncontrolled;
	p->server.restarts = old.restarts;
}

/* Did the runtime report that this engine does not work in this program? */
static const char *engine_trouble(const struct process_runner *p)
{
	if (p->server.opts.engine == VTB_ENGINE_FORKSERVER && p->opts.engine == VTB_ENGINE_AUTO && p->holds)
		return "the program has opened files before main, and its runs would share them";
	return p->server.opts.engine != VTB_ENGINE_EXEC && p->server.block.header ? p->server.block.header->trouble
	                                                                          : "";
}

/* The fastest to begin with. Breakpoints change code, and kernel threads cannot be rolled back. */
static enum vtb_wire_engine first_engine(const struct process_runner *p)
{
	if (p->opts.engine != VTB_ENGINE_AUTO)
		return (enum vtb_wire_engine)p->opts.engine;
	return p->opts.carrier == VTB_CARRIER_FIBERS && !p->opts.n_breaks ? VTB_ENGINE_SNAPSHOT : VTB_ENGINE_FORKSERVER;
}

int vtb_process_choose_engine(struct process_runner *p, struct vtb_error *err)
{
	enum vtb_wire_engine engine = first_engine(p);

	for (;;) {
		struct vtb_error why = { 0 };
		int r;

		init_server(p, engine);
		r = vtb_process_start(p, &why);
		if (r >= 0 && engine_trouble(p)[0])
			r = vtb_error_set(&why, -VTB_E_TARGET, p->target.path, 0, "%.255s", engine_trouble(p));
		if (r >= 0 || r != -VTB_E_TARGET || p->opts.engine != VTB_ENGINE_AUTO || engine == VTB_ENGINE_EXEC ||
		    !p->server.block.header || !p->server.block.header->pid) {
			if (r < 0 && err)
				*err = why;
			return r;
		}
		snprintf(p->engine_reason, sizeof(p->engine_reason), "%.290s", why.text);
		engine = engine == VTB_ENGINE_SNAPSHOT ? VTB_ENGINE_FORKSERVER : VTB_ENGINE_EXEC;
	}
}

int vtb_process_probe(struct process_runner *p, struct vtb_error *err)
{
	const struct vtb_schedule empty = { 0 };
	const struct vtb_schedule *const one = &empty;
	struct vtb_exec exec;
	int r;

	if (p->server.opts.engine != VTB_ENGINE_EXEC)
		return 0;
	r = vtb_runner_run(&p->base, &one, 1, &exec, err);
	if (r < 0)
		return r;
	vtb_exec_fini(&exec);
	p->base.schedules = 0;
	return 0;
}
