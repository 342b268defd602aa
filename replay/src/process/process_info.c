/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a runner on the real program can tell about itself, and handing its place to the program. */
#include "encode.h"
#include "process_private.h"
#include "program_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vtb/hash.h"
#include "vtb/ingest.h"
#include "vtb/input.h"
#include "vtb/line_diff.h"

#define OUTPUT_MAX (1u << 20)
#define DIFF_LINES 60u

static const char *const engine_names[] = {
	[VTB_ENGINE_EXEC] = "exec", [VTB_ENGINE_FORKSERVER] = "forkserver", [VTB_ENGINE_SNAPSHOT] = "snapshot"
};
static const char *const carrier_names[] = { [VTB_CARRIER_THREADS] = "threads", [VTB_CARRIER_FIBERS] = "fibers" };

const char *vtb_engine_name(int engine)
{
	return engine == VTB_ENGINE_AUTO ? "auto" : engine_names[engine];
}

const char *vtb_carrier_name(enum vtb_wire_carrier carrier)
{
	return carrier_names[carrier];
}

const char *vtb_dirty_name(enum vtb_wire_dirty dirty)
{
	static const char *const names[] = {
		[VTB_DIRTY_SCAN] = "scan", [VTB_DIRTY_COPY] = "copy", [VTB_DIRTY_MPROTECT] = "mprotect"
	};

	return names[dirty];
}

static const char *tier_of(const struct process_runner *p, uint32_t hooks, bool attached)
{
	if (hooks & VTB_HOOK_PADS)
		return "pads";
	if (hooks & VTB_HOOK_TSAN && !(hooks & VTB_HOOK_REAL_TSAN))
		return "tsan";
	if (p->opts.n_breaks)
		return "break";
	return attached && hooks & VTB_HOOK_SYNC ? "sync" : "none";
}

void vtb_process_runner_info(const struct vtb_runner *runner, struct vtb_process_info *ret)
{
	const struct process_runner *p = vtb_process_of(runner);
	const struct vtb_wire_header *h = p->server.block.header;
	const uint32_t hooks = h ? h->hooks : 0;
	const uint32_t uncontrolled = p->server.uncontrolled | (h ? h->uncontrolled : 0);

	*ret = (struct vtb_process_info){
		.target = &p->target,
		.cwd = p->opts.cwd,
		.lent = p->lent,
		.input = vtb_program_input_kept(),
		.engine = p->server.opts.engine,
		.carrier = p->server.opts.carrier,
		.dirty = h && p->server.opts.engine == VTB_ENGINE_SNAPSHOT && h->dirty <= VTB_DIRTY_MPROTECT
		             ? (enum vtb_wire_dirty)h->dirty
		             : VTB_DIRTY_AUTO,
		.tier = tier_of(p, hooks, h && h->pid),
		.means = h ? h->means : 0,
		.view = p->view.kind ? p->view.kind->name : "plain",
		.view_trouble = p->view.why,
		.view_advice = vtb_view_advice(),
		.view_each = p->view.plan.flags & VTB_FSVIEW_EACH,
		.view_after = p->view.plan.flags & VTB_FSVIEW_AFTER,
		.trouble = h && memchr(h->trouble, 0, sizeof(h->trouble)) ? h->trouble : "",
		.engine_reason = p->engine_reason,
		.hooks = hooks,
		.uncontrolled = uncontrolled,
		.accesses = p->server.accesses + (h ? h->accesses : 0),
		.modules = p->modules_known,
		.restarts = p->server.restarts,
		.sites = p->file_sites,
		.rewritten = h ? h->rewritten : 0,
		.blind = &p->blind,
		.blind_hooked = h && h->blinds_taken == p->blind.n_sites && !(uncontrolled & VTB_UNC_BLIND),
		.aslr_off = p->server.aslr_off,
		.cross_checked = p->cross_checked,
	};
	vtb_helpers_seen(p, &ret->accesses, &ret->uncontrolled);
}

/* Call stacks stand in records, which an execution does not have; so does what a debugger wants. */
uint64_t vtb_process_manner(const struct vtb_runner *runner)
{
	const struct process_runner *p = vtb_process_of(runner);

	if (p->encode_flags & VTB_SCHED_STACKS)
		return VTB_RUNNER_ONLY_MADE;
	return vtb_hash_seed(p->opts.breaks, p->opts.n_breaks * sizeof(*p->opts.breaks),
	                     p->encode_flags & ~(uint32_t)VTB_SCHED_STATES);
}

int vtb_process_named(struct vtb_runner *runner)
{
	return vtb_ingest_named(vtb_process_of(runner)->ingest);
}

void vtb_process_runner_stacks(struct vtb_runner *runner, bool on)
{
	struct process_runner *p = vtb_process_of(runner);

	p->encode_flags = on ? p->encode_flags | VTB_SCHED_STACKS : p->encode_flags & ~(uint32_t)VTB_SCHED_STACKS;
}

bool vtb_process_runner_past_misuse(struct vtb_runner *runner, bool on)
{
	struct process_runner *p = vtb_process_of(runner);
	bool was;

	if (strcmp(runner->ops->name, "process"))
		return false;
	was = p->encode_flags & VTB_SCHED_PAST;
	p->encode_flags = on ? p->encode_flags | VTB_SCHED_PAST : p->encode_flags & ~(uint32_t)VTB_SCHED_PAST;
	return was;
}

void vtb_process_runner_patient(struct vtb_runner *runner, bool on)
{
	struct process_runner *p = vtb_process_of(runner);

	if (strcmp(runner->ops->name, "process"))
		return;
	p->encode_flags = on ? p->encode_flags | VTB_SCHED_PATIENT : p->encode_flags & ~(uint32_t)VTB_SCHED_PATIENT;
}

void vtb_process_runner_loose(struct vtb_runner *runner)
{
	vtb_process_of(runner)->encode_flags |= VTB_SCHED_LOOSE;
}

struct vtb_symbols *vtb_process_runner_symbols(struct vtb_runner *runner)
{
	return vtb_process_of(runner)->symbols;
}

const char *vtb_process_runner_source_root(const struct vtb_runner *runner)
{
	struct process_runner *p = vtb_process_of(runner);
	char *whole = p->opts.source_root && !*p->source_root ? realpath(p->opts.source_root, NULL) : NULL;

	if (whole)
		snprintf(p->source_root, sizeof(p->source_root), "%s", whole);
	free(whole);
	return p->opts.source_root ? p->source_root : NULL;
}

const uint64_t *vtb_process_runner_records(const struct vtb_runner *runner, size_t *ret_words)
{
	const struct process_runner *p = vtb_process_of(runner);

	*ret_words = p->n_words;
	return p->words;
}

char *vtb_process_runner_output(const struct vtb_runner *runner, size_t *ret_size)
{
	uint64_t all;

	return vtb_server_output(&vtb_process_of(runner)->server, OUTPUT_MAX, false, ret_size, &all);
}

/* From what --expect-output says; the first OUTPUT_MAX bytes of both. */
static char *diff_of(const struct process_runner *p)
{
	struct vtb_input expected = { 0 };
	char *printed, *diff = NULL;
	uint64_t all;
	size_t n = 0;

	if (!p->opts.pass.output || vtb_input_map(p->opts.pass.output, &expected, NULL) < 0)
		return NULL;
	printed = vtb_server_output(&p->server, OUTPUT_MAX, false, &n, &all);
	if (printed)
		diff = vtb_line_diff(expected.data ? expected.data : "",
		                     expected.size < OUTPUT_MAX ? expected.size : OUTPUT_MAX, printed, n, DIFF_LINES);
	if (diff && !*diff) {
		free(diff);
		diff = NULL;
	}
	vtb_input_unmap(&expected);
	free(printed);
	return diff;
}

int vtb_process_runner_said(const struct vtb_runner *runner, struct vtb_said *ret)
{
	const struct process_runner *p = vtb_process_of(runner);
	const size_t max = p->opts.whole_output ? VTB_SAID_WHOLE : VTB_SAID_USUAL;
	uint64_t all = 0;
	size_t n = 0;
	char *bytes = vtb_server_output(&p->server, max, true, &n, &all);

	const int r = bytes ? vtb_said_take(ret, bytes, n, all) : 0;

	if (bytes && r == 0)
		ret->diff = diff_of(p);
	return r;
}

int vtb_process_runner_exec(struct vtb_runner *runner, const struct vtb_schedule *schedule, struct vtb_error *err)
{
	struct process_runner *p = vtb_process_of(runner);
	/* with call stacks each operation is a step of the runtime by itself: a debugger can stop at it */
	const struct vtb_encode_opts opts = { .flags = p->encode_flags | VTB_SCHED_STACKS,
		                              .max_points = p->opts.max_points };
	struct server server;
	struct server_opts so = p->server.opts;
	void *bytes;
	size_t size;
	int r = vtb_encode_schedule(schedule, &p->tab, &opts, &bytes, &size);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "the schedule cannot be given to the program: %s",
		                     vtb_strerror(r));
	vtb_server_stop(&p->server);
	so.engine = VTB_ENGINE_EXEC;
	so.carrier = VTB_CARRIER_THREADS; /* a debugger sees their stacks; a faster engine may have taken fibers */
	so.slots = 1;
	so.options &= ~(uint32_t)VTB_OPT_CAPTURE;
	so.schedule_bytes = size > so.schedule_bytes ? size : so.schedule_bytes;
	so.events_bytes = p->opts.events_max;
	vtb_server_init(&server, &so);
	r = vtb_server_exec(&server, bytes, size, err);
	free(bytes);
	vtb_server_fini(&server);
	return r;
}
