/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data to a PT session: which process, what it had mapped, who ran where, and the buffers put together from their
 * parts. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data.h"
#include "pt_files.h"
#include "vtb/array.h"
#include "vtb/pt_session.h"

#define FORK_DEPTH 16u

/* ------------------------------------------------------------------ the process */

static bool is_user(uint32_t pid)
{
	return pid != 0 && pid != VTB_PERF_NONE;
}

/* The process whose trace began first; without such a record the first that mapped code. */
static uint32_t choose_pid(const struct vtb_perf_data *data)
{
	for (size_t i = 0; i < data->n_tasks; i++)
		if (data->tasks[i].kind == VTB_PERF_ITRACE_START && is_user(data->tasks[i].pid))
			return data->tasks[i].pid;
	for (size_t i = 0; i < data->n_mmaps; i++)
		if (data->mmaps[i].executable && is_user(data->mmaps[i].pid))
			return data->mmaps[i].pid;
	return 0;
}

static int map_file(struct vtb_pt_session *session, const struct vtb_perf_data *data, const struct vtb_perf_mmap *map,
                    const char *symfs, struct vtb_error *err)
{
	const struct vtb_perf_build *build = vtb_perf_build_of(data, map->path);
	char buf[PT_PATH_SIZE];
	const char *path = pt_files_find(map->path, build, symfs, buf);

	if (!path && pt_files_miss(session, map, build) < 0)
		return -ENOMEM;
	return vtb_pt_image_add_file(session->image, path ? path : "", map->offset, map->size, map->addr, err);
}

/* Last exec of `pid` before record `until`: what was mapped before it is gone. *ret_forked: where its parent's mappings
 * were copied. */
static uint64_t mapped_since(const struct vtb_perf_data *data, uint32_t pid, uint64_t until, uint32_t *ret_parent)
{
	uint64_t since = 0;

	*ret_parent = 0;
	for (size_t i = 0; i < data->n_tasks && data->tasks[i].seq < until; i++) {
		const struct vtb_perf_task *task = &data->tasks[i];

		if (task->pid != pid)
			continue;
		if (task->kind == VTB_PERF_EXEC) {
			since = task->seq;
			*ret_parent = 0;
		} else if (task->kind == VTB_PERF_FORK && task->ppid != pid) {
			since = task->seq;
			*ret_parent = task->ppid;
		}
	}
	return since;
}

static int map_process(struct vtb_pt_session *session, const struct vtb_perf_data *data, uint32_t pid, uint64_t until,
                       const struct vtb_pt_session_opts *opts, unsigned depth, struct vtb_error *err)
{
	uint32_t parent;
	const uint64_t since = mapped_since(data, pid, until, &parent);
	int r = parent && depth < FORK_DEPTH ? map_process(session, data, parent, since, opts, depth + 1, err) : 0;

	for (size_t i = 0; r >= 0 && i < data->n_mmaps; i++) {
		const struct vtb_perf_mmap *map = &data->mmaps[i];

		if (map->pid != pid || !map->executable || map->seq < since || map->seq >= until)
			continue;
		if (map->path[0] == '/')
			r = map_file(session, data, map, opts->symfs, err);
		else if (opts->vdso && !strcmp(map->path, "[vdso]"))
			r = vtb_pt_image_add_file(session->image, opts->vdso, 0, map->size, map->addr, err);
	}
	return r;
}

/* ------------------------------------------------------------------ who ran where */

/* Threads that were traced, if perf started the program itself: only it and its descendants were. {0}: every thread may
 * have been. */
struct traced {
	bool limited;
	struct traced_task {
		uint32_t pid, tid;
	} * tasks;
	size_t n_tasks, cap_tasks;
};

static bool is_traced(const struct traced *traced, uint32_t tid)
{
	for (size_t i = 0; i < traced->n_tasks; i++)
		if (traced->tasks[i].tid == tid)
			return true;
	return !traced->limited;
}

static bool has_process(const struct traced *traced, uint32_t pid)
{
	for (size_t i = 0; i < traced->n_tasks; i++)
		if (traced->tasks[i].pid == pid)
			return true;
	return false;
}

static int find_traced(const struct vtb_perf_data *data, uint32_t pid, struct traced *traced)
{
	for (size_t i = 0; i < data->n_attrs; i++)
		traced->limited |= data->attrs[i].type == data->pt_type && data->attrs[i].enable_on_exec;
	if (vtb_array_room(traced, tasks) < 0)
		return -ENOMEM;
	traced->tasks[traced->n_tasks++] = (struct traced_task){ .pid = pid, .tid = pid };
	for (size_t i = 0; i < data->n_tasks; i++) {
		const struct vtb_perf_task *task = &data->tasks[i];

		if (task->kind != VTB_PERF_ITRACE_START &&
		    !(task->kind == VTB_PERF_FORK && has_process(traced, task->ppid)))
			continue;
		if (vtb_array_room(traced, tasks) < 0)
			return -ENOMEM;
		traced->tasks[traced->n_tasks++] = (struct traced_task){ .pid = task->pid, .tid = task->tid };
	}
	return 0;
}

static int add_run(struct vtb_pt_session *session, const struct traced *traced, struct vtb_pt_run run)
{
	if (traced && !is_traced(traced, run.tid))
		return 0;
	if (vtb_array_room(session, runs) < 0)
		return -ENOMEM;
	session->runs[session->n_runs++] = run;
	return 0;
}

static int by_cpu_time(const void *a, const void *b)
{
	const struct vtb_perf_switch *x = *(const struct vtb_perf_switch *const *)a,
	                             *y = *(const struct vtb_perf_switch *const *)b;

	if (x->id.cpu != y->id.cpu)
		return x->id.cpu < y->id.cpu ? -1 : 1;
	if (x->id.time != y->id.time)
		return x->id.time < y->id.time ? -1 : 1;
	return x->out != y->out ? (x->out ? -1 : 1) : x < y ? -1 : x > y; /* out before in */
}

/* Pair the switches of one CPU: [first, end) of `order`, by time. A thread switched out without having been switched in
 * ran from the start. */
static int pair_switches(struct vtb_pt_session *session, const struct traced *traced,
                         const struct vtb_perf_clock *clock, const struct vtb_perf_switch **order, size_t n)
{
	struct vtb_pt_run run = { .out = UINT64_MAX, .cpu = order[0]->id.cpu, .tid = VTB_PT_NONE };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		const uint64_t tsc = vtb_perf_tsc(clock, order[i]->id.time);

		if (run.tid != VTB_PT_NONE && (!order[i]->out || run.tid != order[i]->id.tid)) { /* its end was lost */
			run.out = tsc;
			r = add_run(session, traced, run);
			run.tid = VTB_PT_NONE;
		}
		if (!order[i]->out) {
			run.in = tsc;
			run.out = UINT64_MAX;
			run.tid = order[i]->id.tid;
			continue;
		}
		if (run.tid == VTB_PT_NONE) {
			run.tid = order[i]->id.tid;
			run.in = i ? tsc : 0;
		}
		run.out = tsc;
		if (r >= 0 && run.in < run.out)
			r = add_run(session, traced, run);
		run.tid = VTB_PT_NONE;
	}
	return r >= 0 && run.tid != VTB_PT_NONE ? add_run(session, traced, run) : r;
}

static int add_runs(struct vtb_pt_session *session, const struct vtb_perf_data *data)
{
	struct traced traced = { 0 };
	const struct vtb_perf_switch **order = calloc(data->n_switches + 1, sizeof(*order));
	int r = order ? find_traced(data, session->pid, &traced) : -ENOMEM;

	if (r < 0)
		goto out;
	for (size_t i = 0; i < data->n_switches; i++)
		order[i] = &data->switches[i];
	qsort(order, data->n_switches, sizeof(*order), by_cpu_time);
	for (size_t i = 0, end; r >= 0 && i < data->n_switches; i = end) {
		for (end = i; end < data->n_switches && order[end]->id.cpu == order[i]->id.cpu;)
			end++;
		r = pair_switches(session, &traced, &data->clock, order + i, end - i);
	}
out:
	free(order);
	free(traced.tasks);
	return r;
}

/* Without context switches the owner is certain only where the process had one thread. */
static uint32_t only_thread(const struct vtb_perf_data *data, uint32_t pid)
{
	for (size_t i = 0; i < data->n_tasks; i++)
		if (data->tasks[i].kind == VTB_PERF_FORK)
			return VTB_PT_NONE;
	return pid;
}

/* ------------------------------------------------------------------ buffers */

static int by_buffer(const void *a, const void *b)
{
	const struct vtb_perf_chunk *x = a, *y = b;

	if (x->idx != y->idx)
		return x->idx < y->idx ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* A place in a buffer's stream at which the kernel could not store what the processor wrote, or says that something is
 * missing. */
struct cut {
	uint32_t owner; /* the CPU, or the thread of a buffer of one thread */
	uint64_t offset;
};

struct cuts {
	struct cut *cuts; /* ascending */
	size_t n_cuts, cap_cuts;
};

/* What the processor itself writes when packets are lost: the decoder reports a gap, and goes on at the next PSB.
 * Without it flow could seem to go on over the cut, round a loop once less. */
static const uint8_t overflow_packet[] = { 0x02, 0xf3 };

static int by_owner_and_offset(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int find_cuts(const struct vtb_perf_data *data, struct cuts *ret)
{
	for (size_t i = 0; i < data->n_auxes && !data->snapshot; i++) {
		const struct vtb_perf_aux *aux = &data->auxes[i];

		if (!(aux->flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL)))
			continue;
		if (vtb_array_room(ret, cuts) < 0)
			return -ENOMEM;
		ret->cuts[ret->n_cuts++] =
		    (struct cut){ data->per_cpu ? aux->id.cpu : aux->id.tid, aux->offset + aux->size };
	}
	if (ret->n_cuts)
		qsort(ret->cuts, ret->n_cuts, sizeof(*ret->cuts), by_owner_and_offset);
	return 0;
}

/* The first cut at `from` or behind it; UINT64_MAX: none. */
static uint64_t next_cut(const struct cuts *cuts, uint32_t owner, uint64_t from)
{
	const struct cut key = { owner, from };
	size_t lo = 0, hi = cuts->n_cuts;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (by_owner_and_offset(&cuts->cuts[middle], &key) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < cuts->n_cuts && cuts->cuts[lo].owner == owner ? cuts->cuts[lo].offset : UINT64_MAX;
}

static int append(struct vtb_pt_source *source, uint64_t *cap, const uint8_t *bytes, uint64_t n)
{
	if (source->size + n > *cap) {
		const uint64_t wanted = (source->size + n) * 2;
		uint8_t *grown = realloc(source->owned, wanted);

		if (!grown)
			return -ENOMEM;
		source->owned = grown;
		*cap = wanted;
	}
	memcpy(source->owned + source->size, bytes, n);
	source->size += n;
	return 0;
}

/* Bytes [from, end) of the stream, which the chunk has, with the cuts between them. */
static int append_chunk(struct vtb_pt_source *source, uint64_t *cap, const struct cuts *cuts, uint32_t owner,
                        const struct vtb_perf_chunk *chunk, uint64_t from, uint64_t end)
{
	int r = 0;

	while (r >= 0 && from < end) {
		const uint64_t cut = next_cut(cuts, owner, from + 1), to = cut < end ? cut : end;

		r = append(source, cap, chunk->data + (from - chunk->offset), to - from);
		if (r >= 0 && to < end)
			r = append(source, cap, overflow_packet, sizeof(overflow_packet));
		from = to;
	}
	return r;
}

/* Where chunk i ends, of n. It is padded with zeros to a multiple of 8 bytes, and only where the next begins shows by
 * how many. */
static uint64_t end_of(const struct vtb_perf_chunk *chunks, size_t n, size_t i)
{
	const uint64_t end = chunks[i].offset + chunks[i].size;
	const bool padded = i + 1 < n && chunks[i + 1].offset > chunks[i].offset && chunks[i + 1].offset < end &&
	                    end - chunks[i + 1].offset < 8;

	return padded ? chunks[i + 1].offset : end;
}

static int join_chunks(struct vtb_pt_source *source, const struct cuts *cuts, uint32_t owner,
                       const struct vtb_perf_chunk *chunks, size_t n)
{
	uint64_t at = chunks[0].offset, cap = 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) { /* snapshots overlap: skip what is there already */
		const uint64_t end = end_of(chunks, n, i), from = at > chunks[i].offset ? at : chunks[i].offset;

		if (from >= end)
			continue;
		if (i && (from > at || next_cut(cuts, owner, at) == at))
			r = append(source, &cap, overflow_packet, sizeof(overflow_packet));
		if (r >= 0)
			r = append_chunk(source, &cap, cuts, owner, &chunks[i], from, end);
		at = end;
	}
	source->data = source->owned;
	return r;
}

/* The chunks of one buffer; holes and cuts between them are in the packets. */
static int add_source(struct vtb_pt_session *session, const struct vtb_perf_data *data, const struct cuts *cuts,
                      const struct vtb_perf_chunk *chunks, size_t n)
{
	const uint32_t owner = data->per_cpu ? chunks[0].cpu : chunks[0].tid;
	struct vtb_pt_source source = { .cpu = chunks[0].cpu, .tid = chunks[0].tid, .idx = chunks[0].idx };
	int r = 0;

	source.starts_lost = data->snapshot || next_cut(cuts, owner, chunks[0].offset) == chunks[0].offset;
	if (n == 1 && next_cut(cuts, owner, chunks[0].offset + 1) >= chunks[0].offset + chunks[0].size) {
		source.data = chunks[0].data;
		source.size = chunks[0].size;
	} else {
		r = join_chunks(&source, cuts, owner, chunks, n);
	}
	if (data->per_cpu)
		source.tid = VTB_PT_NONE;
	else
		source.cpu = VTB_PT_NONE;
	if (r >= 0)
		r = vtb_array_room(session, sources);
	if (r < 0) {
		free(source.owned);
		return r;
	}
	session->sources[session->n_sources++] = source;
	return 0;
}

static int add_sources(struct vtb_pt_session *session, struct vtb_perf_data *data)
{
	struct cuts cuts = { 0 };
	int r = find_cuts(data, &cuts);

	qsort(data->chunks, data->n_chunks, sizeof(*data->chunks), by_buffer);
	for (size_t i = 0, end; r >= 0 && i < data->n_chunks; i = end) {
		for (end = i + 1; end < data->n_chunks; end++)
			if (data->chunks[end].idx != data->chunks[i].idx ||
			    data->chunks[end].offset < data->chunks[i].offset)
				break;
		r = add_source(session, data, &cuts, data->chunks + i, end - i);
	}
	free(cuts.cuts);
	return r;
}

/* ------------------------------------------------------------------ */

static void free_import(void *p)
{
	vtb_perf_fini(p);
	free(p);
}

static int import(struct vtb_pt_session *session, struct vtb_perf_data *data, const char *path,
                  const struct vtb_pt_session_opts *opts, struct vtb_error *err)
{
	uint32_t only;
	int r;

	if (!data->has_pt || !data->n_chunks)
		return vtb_error_set(err, -ENODATA, path, 0,
		                     "no Intel PT trace in this file (was it recorded with -e intel_pt//u?)");
	session->cpu = data->cpu;
	session->pid = opts->pid ? opts->pid : choose_pid(data);
	r = vtb_pt_image_new(&session->image);
	if (r >= 0)
		r = map_process(session, data, session->pid, UINT64_MAX, opts, 0, err);
	if (r >= 0)
		r = add_runs(session, data);
	if (r >= 0)
		r = add_sources(session, data);
	only = r >= 0 && !session->n_runs ? only_thread(data, session->pid) : VTB_PT_NONE;
	for (size_t i = 0; only != VTB_PT_NONE && i < session->n_sources; i++)
		if (session->sources[i].tid == VTB_PT_NONE)
			r = add_run(
			    session, NULL,
			    (struct vtb_pt_run){ .out = UINT64_MAX, .cpu = session->sources[i].cpu, .tid = only });
	return r;
}

int vtb_pt_session_perf(const char *path, const struct vtb_pt_session_opts *opts, struct vtb_pt_session *ret,
                        struct vtb_error *err)
{
	struct vtb_perf_data *data = calloc(1, sizeof(*data));
	int r;

	*ret = (struct vtb_pt_session){ 0 };
	if (!data)
		return -ENOMEM;
	ret->import = data;
	ret->import_free = free_import;
	r = vtb_perf_read(path, data, err);
	if (r >= 0)
		r = import(ret, data, path, opts, err);
	if (r >= 0)
		r = vtb_pt_session_deal(ret, opts->jobs, err);
	if (r < 0)
		vtb_pt_session_fini(ret);
	return r;
}
