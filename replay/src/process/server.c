/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "server_arena.h"

#include "futex.h"
#include "program_input.h"
#include "verdict.h"
#include "vtb/blind_code.h"
#include "vtb/call_sites.h"
#include "vtb/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRINGS_BYTES (4u << 20)
/* Of all slots' events: to have the kernel clear pages anew for every run costs more than the events. */
#define KEEP_BYTES (128u << 20)

void vtb_server_init(struct server *s, const struct server_opts *opts)
{
	*s = (struct server){ .opts = *opts,
		              .block = VTB_BLOCK_EMPTY,
		              .output_fd = -1,
		              .error_fd = -1,
		              .output_used = VTB_OUTPUT_IN_FILE,
		              .stdin_start = lseek(STDIN_FILENO, 0, SEEK_CUR) };
	vtb_launch_adopt();
}

void vtb_server_stop(struct server *s)
{
	if (s->block.header && s->child.pid) {
		s->accesses += s->block.header->accesses;
		s->uncontrolled |= s->block.header->uncontrolled;
		s->block.header->accesses = 0;
	}
	vtb_server_end_child(s);
	if (s->room[0])
		vtb_scratch_empty_room(s->room);
	s->posted = s->taken = 0;
}

void vtb_server_fini(struct server *s)
{
	vtb_server_stop(s);
	vtb_block_close(&s->block);
	vtb_server_close_output(s);
	vtb_server_forget(s);
}

bool vtb_server_is_up(const struct server *s)
{
	return s->block.header && (s->opts.engine == VTB_ENGINE_EXEC || s->child.pid);
}

void vtb_server_grow(struct server *s, uint64_t schedule_bytes, uint64_t events_bytes)
{
	vtb_server_stop(s);
	vtb_block_close(&s->block);
	if (schedule_bytes > s->opts.schedule_bytes)
		s->opts.schedule_bytes = schedule_bytes;
	if (events_bytes > s->opts.events_bytes)
		s->opts.events_bytes = events_bytes;
}

/* Behind what slots have. */
static struct vtb_fsview *view_of(const struct server *s)
{
	return vtb_block_at(&s->block, arena_view(s), sizeof(struct vtb_fsview));
}

static int make_block(struct server *s, struct vtb_error *err)
{
	const struct vtb_block_layout layout = {
		.modules = VTB_WIRE_MODULES_MAX,
		.slots = s->opts.slots,
		.breaks = VTB_WIRE_BREAKS_MAX,
		.sites = s->opts.sites && s->opts.sites->n_sites <= VTB_WIRE_SITES_MAX
		             ? (uint32_t)s->opts.sites->n_sites
		             : 0,
		.blinds = s->opts.blind ? (uint32_t)s->opts.blind->n_sites : 0,
		.strings = STRINGS_BYTES,
		.arena = arena_size(s),
	};
	int r;

	if (s->block.header)
		return 0;
	r = vtb_block_create(NULL, &layout, &s->block, err);
	if (r < 0)
		return r;
	s->block.fd = vtb_server_to_high(s->block.fd);
	return s->block.fd < 0
	           ? vtb_error_set(err, s->block.fd, NULL, 0, "cannot move a descriptor out of the program's way: %s",
	                           vtb_strerror(s->block.fd))
	           : 0;
}

/* As new: nothing that an earlier process wrote counts any more. */
static void reset_block(struct server *s)
{
	struct vtb_wire_header *h = s->block.header;
	const struct vtb_wire_header clean = {
		.version = VTB_WIRE_VERSION,
		.header_size = sizeof(*h),
		.block_size = s->block.size,
		.mode = VTB_MODE_CONTROL,
		.engine = s->opts.engine,
		.carrier = s->opts.carrier,
		.options = s->opts.options,
		.pool = s->opts.pool,
		.follow = s->opts.follow,
		.processor = s->opts.processor,
		.dirty = s->opts.dirty,
		.modules = s->block.areas.modules,
		.threads = s->block.areas.threads,
		.strings = s->block.areas.strings,
		.slots = s->block.areas.slots,
		.breaks = s->block.areas.breaks,
		.sites = s->block.areas.sites,
		.blinds = s->block.areas.blinds,
		.arena = s->block.areas.arena,
		.output_fd = (uint32_t)s->output_fd,
	};

	*h = clean;
	memcpy(h->magic, VTB_WIRE_MAGIC, sizeof(h->magic));
	h->arena.used = arena_view(s) - h->arena.offset;
	vtb_server_set_view(s, view_of(s));
	for (uint32_t i = 0; i < s->opts.slots; i++)
		*arena_slot(s, i) = (struct vtb_wire_slot){ 0 };
	vtb_server_set_breaks(s, s->opts.breaks, s->opts.n_breaks);
	vtb_server_set_sites(s);
	vtb_server_set_blinds(s);
}

void vtb_server_set_sites(struct server *s)
{
	const size_t n = s->opts.sites ? s->opts.sites->n_sites : 0;
	struct vtb_wire_site *to = vtb_block_at(&s->block, s->block.areas.sites.offset, s->block.areas.sites.size);
	const bool begins = !s->block.header->sites.used;

	if (!n || !to || n * sizeof(*to) > s->block.areas.sites.size)
		return;
	for (size_t i = 0; i < n; i++)
		if (begins)
			to[i] = s->opts.sites->sites[i];
		else
			to[i].on = s->opts.sites->sites[i].on;
	s->block.header->sites.used = n;
	__atomic_add_fetch(&s->block.header->sites_wanted, 1, __ATOMIC_RELEASE);
}

static int launch(struct server *s, struct vtb_error *err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), r;
	const int input = vtb_program_input_open(s->stdin_start); /* the runtime rewinds it for each run */
	const struct vtb_launch l = {
		.target = s->opts.target,
		.argv = s->opts.argv,
		.cwd = s->opts.cwd,
		.runtime = s->opts.runtime,
		.block_fd = s->block.fd,
		.stdio = { input >= 0 ? input : null, s->output_fd, s->error_fd >= 0 ? s->error_fd : s->output_fd },
		.fds = { s->opts.errors_apart ? -1 : s->output_fd, -1 },
		.random_addresses = s->opts.random_addresses,
		.view = view_of(s),
	};

	if (null < 0 && input >= 0)
		close(input);
	if (null < 0)
		return vtb_error_set(err, -errno, "/dev/null", 0, "%s", vtb_strerror(-errno));
	r = vtb_launch_start(&l, &s->child, err);
	close(null);
	if (input >= 0)
		close(input);
	s->aslr_off = s->child.aslr_off;
	return r;
}

static int start_failed(struct server *s, int end, int status, int signal, struct vtb_error *err)
{
	char words[160];

	vtb_server_last_words(s, words, sizeof(words));
	vtb_server_stop(s);
	if (end < 0)
		return vtb_error_set(err, end, NULL, 0, "stopped");
	if (end == SERVER_HUNG)
		return vtb_error_set(err, -VTB_E_TARGET, s->opts.target->path, 0,
		                     "the runtime did not report from the program: it does not reach main, or starts "
		                     "another program in its place");
	if (signal)
		return vtb_error_set(err, -VTB_E_TARGET, s->opts.target->path, 0,
		                     "the program was killed by signal %d before it reached main%s%s", signal,
		                     words[0] ? ": " : "", words);
	return vtb_error_set(err, -VTB_E_TARGET, s->opts.target->path, 0,
	                     "the program ended with status %d before it reached main%s%s", status,
	                     words[0] ? ": " : "", words);
}

int vtb_server_start(struct server *s, struct vtb_error *err)
{
	int status = 0, signal = 0, end;
	int r = vtb_server_make_output(s, err);

	if (r >= 0)
		r = make_block(s, err);
	if (r >= 0)
		r = vtb_server_make_room(s, err);
	if (r < 0)
		return r;
	reset_block(s);
	s->n_prints = 0;
	if (s->opts.engine == VTB_ENGINE_EXEC)
		return 0;
	r = launch(s, err);
	if (r < 0)
		return r;
	end = vtb_server_wait_start(s, &status, &signal);
	return end == SERVER_DONE ? 0 : start_failed(s, end, status, signal, err);
}

static void fill_slot(struct server *s, uint32_t i, const void *schedule, size_t size, uint32_t runs);

int vtb_server_exec(struct server *s, const void *schedule, size_t size, struct vtb_error *err)
{
	struct vtb_launch l = {
		.target = s->opts.target,
		.argv = s->opts.argv,
		.cwd = s->opts.cwd,
		.runtime = s->opts.runtime,
		.stdio = { -1, -1, -1 },
		.fds = { -1 },
	};
	int r = vtb_server_start(s, err);

	if (r < 0)
		return r;
	fill_slot(s, 0, schedule, size, 0);
	s->block.header->posted = 1;
	l.block_fd = s->block.fd;
	l.view = view_of(s);
	return vtb_launch_exec(&l, err);
}

static void fill_slot(struct server *s, uint32_t i, const void *schedule, size_t size, uint32_t runs)
{
	struct vtb_wire_slot *slot = arena_slot(s, i);

	memcpy(vtb_block_at(&s->block, arena_schedule(s, i), size), schedule, size);
	*slot = (struct vtb_wire_slot){
		.schedule_offset = arena_schedule(s, i),
		.events_offset = arena_events(s, runs ? arena_of_series(s, s->posted) : i),
		.events_size = arena_pages(s->opts.events_bytes),
		.output_offset = arena_output(s),
		.output_size = arena_output_size(s),
		.output_used = VTB_OUTPUT_IN_FILE,
		.runs = runs,
		.series_offset = runs ? arena_series(s, i) : 0,
	};
	__atomic_store_n(&slot->state, VTB_SLOT_READY, __ATOMIC_RELEASE);
}

static void post(struct server *s, const void *schedule, size_t size, uint32_t runs)
{
	if (s->opts.engine == VTB_ENGINE_EXEC)
		reset_block(s);
	fill_slot(s, s->posted % s->opts.slots, schedule, size, runs);
	s->posted++;
	__atomic_store_n(&s->block.header->posted, s->opts.engine == VTB_ENGINE_EXEC ? 1u : s->posted,
	                 __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&s->block.header->resting, 0, __ATOMIC_SEQ_CST))
		vtb_futex_wake(&s->block.header->posted);
}

void vtb_server_post(struct server *s, const void *schedule, size_t size)
{
	post(s, schedule, size, 0);
}

void vtb_server_post_series(struct server *s, const void *schedules, size_t size, uint32_t runs)
{
	post(s, schedules, size, runs);
}

/* ---- results */

/* Copied before they are looked at: processes that the program left behind may still write here. */
static int copy_out(struct server *s, uint32_t i, const struct vtb_wire_slot *slot, struct server_result *ret)
{
	uint64_t used = __atomic_load_n(&slot->events_used, __ATOMIC_ACQUIRE), keep;

	s->output_used = slot->output_used;
	ret->outcome = slot->outcome;
	used = vtb_server_in_room(used, arena_pages(s->opts.events_bytes), &ret->outcome);
	ret->outcome.message[sizeof(ret->outcome.message) - 1] = 0;
	if (vtb_server_expand(s, vtb_block_at(&s->block, arena_events(s, i), used), used, ret) < 0)
		return -ENOMEM;
	keep = arena_pages(KEEP_BYTES / s->opts.slots);
	if (used > keep) /* give the memory back, the next run may be small */
		fallocate(s->block.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(arena_events(s, i) + keep),
		          (off_t)(arena_pages(s->opts.events_bytes) - keep));
	return 0;
}

/* As the runtime's server does for its children: what the process did not say itself is in its status. */
static void died(struct vtb_wire_outcome *o, int status, int signal, bool crashed)
{
	if (crashed)
		o->flags |= VTB_OUT_CRASHED;
	if (o->verdict != VTB_V_NONE || o->flags & VTB_OUT_FOLLOWED)
		return;
	o->exit_status = (uint32_t)status;
	o->signal = (uint32_t)signal;
	if (signal)
		o->verdict = VTB_V_SIGNAL;
}

static void timed_out(struct server *s, struct vtb_wire_outcome *o)
{
	o->verdict = VTB_V_TIMEOUT;
	if (s->room_full) {
		snprintf(o->message, sizeof(o->message), "stopped: it wrote more than there is room for");
		o->uncontrolled |= VTB_UNC_SCRATCH;
		s->uncontrolled |= VTB_UNC_SCRATCH;
		s->room_full = false;
		return;
	}
	snprintf(o->message, sizeof(o->message), "stopped after %u ms%s%s", s->stopped_msec, s->stuck[0] ? ": " : "",
	         s->stuck);
	s->stuck[0] = '\0';
}

static int take_exec(struct server *s, struct vtb_wire_slot *slot, struct server_result *ret, struct vtb_error *err)
{
	bool killed = false;
	int status = 0, signal = 0, end;
	int r = launch(s, err);

	if (r < 0)
		return r;
	end = vtb_server_wait_process(s, slot, &killed, &status, &signal);
	s->accesses += s->block.header->accesses;
	s->uncontrolled |= s->block.header->uncontrolled;
	s->block.header->accesses = 0;
	vtb_child_end(&s->child);
	s->taken++;
	if (end < 0)
		return vtb_error_set(err, end, NULL, 0, "stopped");
	if (s->block.header->state == VTB_STATE_NEW)
		return start_failed(s, end, status, signal, err);
	r = copy_out(s, 0, slot, ret);
	if (killed)
		timed_out(s, &ret->outcome);
	else
		died(&ret->outcome, status, signal, signal != 0);
	vtb_server_hash_output(s, &ret->outcome);
	return r;
}

static int take_forkserver(struct server *s, uint32_t i, struct vtb_wire_slot *slot, struct server_result *ret,
                           struct vtb_error *err)
{
	bool killed = false;
	int status = 0, signal = 0, r;
	const int end = vtb_server_wait_slot(s, slot, &killed, &status, &signal);

	if (end < 0)
		return vtb_error_set(err, end, NULL, 0, "stopped");
	if (end == SERVER_DIED &&
	    s->opts.engine == VTB_ENGINE_SNAPSHOT) /* not the program's failure before a slower engine says so */
		return -VTB_E_UNSUPPORTED;
	if (end == SERVER_HUNG)
		killed = true;
	s->taken++;
	r = copy_out(s, i, slot, ret);
	if (killed)
		timed_out(s, &ret->outcome);
	else if (end == SERVER_DIED)
		died(&ret->outcome, status, signal, true);
	if (end != SERVER_DONE) {
		vtb_server_stop(s);
		s->restarts++;
	}
	return r;
}

int vtb_server_take(struct server *s, struct server_result *ret, struct vtb_error *err)
{
	const uint32_t i = s->taken % s->opts.slots;
	int r;

	*ret = (struct server_result){ 0 };
	r = s->opts.engine == VTB_ENGINE_EXEC ? take_exec(s, arena_slot(s, i), ret, err)
	                                      : take_forkserver(s, i, arena_slot(s, i), ret, err);
	if (r < 0) {
		free(ret->words);
		*ret = (struct server_result){ 0 };
	}
	return r;
}
