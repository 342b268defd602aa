/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf_records.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vtb/array.h"

/* Records that perf adds to the kernel's; numbers from tools/perf (they stand in files, so they do not change). */
enum {
	RECORD_HEADER_ATTR = 64,
	RECORD_BUILD_ID = 67,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};
#define USER_FIRST 64u
#define AUXTRACE_INTEL_PT 1u

/* One record being read. `body` has `size` bytes, the trailer with the sample id included. */
struct record {
	struct vtb_perf_data *data;
	struct vtb_perf_stream *stream;
	const uint8_t *body;
	uint64_t size;
	uint64_t place; /* of the record in the file */
	uint64_t room;  /* bytes of data behind the record, for AUXTRACE */
	uint64_t extra; /* of these, how many the record uses; set by the reader */
	uint16_t misc;
	struct vtb_error *err;
};

static int broken(const struct record *rec, const char *what)
{
	return vtb_error_set(rec->err, -VTB_E_FORMAT, rec->stream->path, rec->place, "a damaged record: %s", what);
}

static uint32_t u32(const struct record *rec, uint64_t at)
{
	uint32_t v;

	memcpy(&v, rec->body + at, sizeof(v));
	return v;
}

static uint64_t u64(const struct record *rec, uint64_t at)
{
	uint64_t v;

	memcpy(&v, rec->body + at, sizeof(v));
	return v;
}

/* ------------------------------------------------------------------ sample id */

static uint64_t id_size(uint64_t type)
{
	return 8u * (unsigned)__builtin_popcountll(type &
	                                           (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
	                                            PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
}

static const struct vtb_perf_attr *attr_of_id(const struct vtb_perf_data *data, uint64_t id)
{
	for (size_t i = 0; i < data->n_attrs; i++)
		for (size_t k = 0; k < data->attrs[i].n_ids; k++)
			if (data->ids[data->attrs[i].first_id + k] == id)
				return &data->attrs[i];
	return NULL;
}

/* Events of different shape are told apart by PERF_SAMPLE_IDENTIFIER, the last word of every record. */
static uint64_t sample_type_of(const struct record *rec)
{
	const struct vtb_perf_data *data = rec->data;
	const struct vtb_perf_attr *attr = data->n_attrs ? &data->attrs[0] : NULL;
	bool mixed = false;

	for (size_t i = 1; i < data->n_attrs; i++)
		mixed |= data->attrs[i].sample_type != attr->sample_type ||
		         data->attrs[i].sample_id_all != attr->sample_id_all;
	if (mixed && rec->size >= 8)
		attr = attr_of_id(data, u64(rec, rec->size - 8));
	return attr && attr->sample_id_all ? attr->sample_type : 0;
}

/* Reads the trailer; *ret_size: bytes of the record before it. */
static int read_id(const struct record *rec, uint64_t min, struct vtb_perf_id *ret, uint64_t *ret_size)
{
	const uint64_t type = sample_type_of(rec), size = id_size(type);
	uint64_t at = rec->size - size;

	*ret = (struct vtb_perf_id){ .pid = VTB_PERF_NONE, .tid = VTB_PERF_NONE, .cpu = VTB_PERF_NONE };
	if (rec->size < min || rec->size - min < size)
		return broken(rec, "too short for its kind");
	*ret_size = at;
	if (type & PERF_SAMPLE_TID) {
		ret->pid = u32(rec, at);
		ret->tid = u32(rec, at + 4);
		at += 8;
	}
	if (type & PERF_SAMPLE_TIME) {
		ret->time = u64(rec, at);
		at += 8;
	}
	at += id_size(type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		ret->cpu = u32(rec, at);
	return 0;
}

/* A text that must end inside the record. */
static const char *text_at(const struct record *rec, uint64_t at, uint64_t end)
{
	const char *text = (const char *)rec->body + at;

	return at < end && memchr(text, 0, end - at) ? text : NULL;
}

/* ------------------------------------------------------------------ the kernel's records */

static int read_mmap(struct record *rec, bool two)
{
	struct vtb_perf_data *data = rec->data;
	const uint64_t fixed = two ? 64 : 32; /* bytes before the path */
	struct vtb_perf_mmap map = { .executable = !(rec->misc & PERF_RECORD_MISC_MMAP_DATA) };
	uint64_t end;
	int r = read_id(rec, fixed + 1, &map.id, &end);

	if (r < 0)
		return r;
	map.seq = data->n_records;
	map.pid = u32(rec, 0);
	map.tid = u32(rec, 4);
	map.addr = u64(rec, 8);
	map.size = u64(rec, 16);
	map.offset = u64(rec, 24);
	if (two)
		map.executable = u32(rec, 56) & 4; /* PROT_EXEC */
	map.path = text_at(rec, fixed, end);
	if (!map.path)
		return broken(rec, "a path without end");
	if (vtb_array_room(data, mmaps) < 0 ||
	    vtb_perf_build_mapped(data, two ? rec->misc : 0, rec->body, map.path) < 0)
		return -ENOMEM;
	data->mmaps[data->n_mmaps++] = map;
	return 0;
}

static int add_task(struct record *rec, const struct vtb_perf_task *task)
{
	struct vtb_perf_data *data = rec->data;

	if (vtb_array_room(data, tasks) < 0)
		return -ENOMEM;
	data->tasks[data->n_tasks] = *task;
	data->tasks[data->n_tasks++].seq = data->n_records;
	return 0;
}

static int read_comm(struct record *rec)
{
	struct vtb_perf_task task = { .kind = rec->misc & PERF_RECORD_MISC_COMM_EXEC ? VTB_PERF_EXEC : VTB_PERF_COMM };
	uint64_t end;
	int r = read_id(rec, 9, &task.id, &end);

	if (r < 0)
		return r;
	task.pid = u32(rec, 0);
	task.tid = u32(rec, 4);
	task.comm = text_at(rec, 8, end);
	return task.comm ? add_task(rec, &task) : broken(rec, "a name without end");
}

static int read_fork_exit(struct record *rec, uint32_t kind)
{
	struct vtb_perf_task task = { .kind = kind };
	uint64_t end;
	int r = read_id(rec, 24, &task.id, &end);

	if (r < 0)
		return r;
	task.pid = u32(rec, 0);
	task.ppid = u32(rec, 4);
	task.tid = u32(rec, 8);
	task.ptid = u32(rec, 12);
	if (!task.id.time)
		task.id.time = u64(rec, 16);
	return add_task(rec, &task);
}

static int read_itrace_start(struct record *rec)
{
	struct vtb_perf_task task = { .kind = VTB_PERF_ITRACE_START };
	uint64_t end;
	int r = read_id(rec, 8, &task.id, &end);

	if (r < 0)
		return r;
	task.pid = u32(rec, 0);
	task.tid = u32(rec, 4);
	return add_task(rec, &task);
}

static int read_aux(struct record *rec)
{
	struct vtb_perf_data *data = rec->data;
	struct vtb_perf_aux aux;
	uint64_t end;
	int r = read_id(rec, 24, &aux.id, &end);

	if (r < 0)
		return r;
	aux.offset = u64(rec, 0);
	aux.size = u64(rec, 8);
	aux.flags = u64(rec, 16);
	if (vtb_array_room(data, auxes) < 0)
		return -ENOMEM;
	data->auxes[data->n_auxes++] = aux;
	return 0;
}

/* SWITCH_CPU_WIDE also names the other thread of the switch; the trailer says whose record this is. */
static int read_switch(struct record *rec, bool cpu_wide)
{
	struct vtb_perf_data *data = rec->data;
	struct vtb_perf_switch sw = { .out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT };
	uint64_t end;
	int r = read_id(rec, cpu_wide ? 8 : 0, &sw.id, &end);

	if (r < 0)
		return r;
	if (vtb_array_room(data, switches) < 0)
		return -ENOMEM;
	data->switches[data->n_switches++] = sw;
	return 0;
}

static int read_lost(struct record *rec)
{
	struct vtb_perf_id id;
	uint64_t end;
	int r = read_id(rec, 16, &id, &end);

	if (r >= 0)
		rec->data->n_lost += u64(rec, 8);
	return r;
}

/* ------------------------------------------------------------------ perf's records */

/* type, reserved, then the numbers that perf's intel_pt_info_fill() wrote: */
enum {
	PT_PMU_TYPE,
	PT_TIME_SHIFT,
	PT_TIME_MULT,
	PT_TIME_ZERO,
	PT_CAP_TIME,
	PT_TSC_BIT,
	PT_NORETCOMP_BIT,
	PT_SCHED_SWITCH,
	PT_SNAPSHOT,
	PT_PER_CPU,
	PT_MTC_BIT,
	PT_MTC_FREQ_BITS,
	PT_CTC_N,
	PT_CTC_D,
	PT_CYC_BIT,
	PT_MAX_NONTURBO
};

static int read_auxtrace_info(struct record *rec)
{
	struct vtb_perf_data *data = rec->data;
	uint64_t v[PT_MAX_NONTURBO + 1] = { 0 };
	uint64_t n;

	if (rec->size < 8)
		return broken(rec, "AUXTRACE_INFO without a type");
	if (u32(rec, 0) != AUXTRACE_INTEL_PT)
		return vtb_error_set(rec->err, -VTB_E_UNSUPPORTED, rec->stream->path, rec->place,
		                     "the trace in this file is not Intel PT (type %" PRIu32 ")", u32(rec, 0));
	n = (rec->size - 8) / 8;
	if (n <= PT_PER_CPU)
		return broken(rec, "AUXTRACE_INFO is too short");
	memcpy(v, rec->body + 8, (n < sizeof(v) / 8 ? n : sizeof(v) / 8) * 8);
	data->has_pt = true;
	data->pt_type = (uint32_t)v[PT_PMU_TYPE];
	data->snapshot = v[PT_SNAPSHOT] != 0;
	data->per_cpu = v[PT_PER_CPU] != 0;
	data->mtc_freq_bits = v[PT_MTC_FREQ_BITS];
	data->cpu.cpuid_15_ebx = (uint32_t)v[PT_CTC_N];
	data->cpu.cpuid_15_eax = (uint32_t)v[PT_CTC_D];
	data->cpu.nom_freq = (uint8_t)v[PT_MAX_NONTURBO];
	if (v[PT_CAP_TIME])
		data->clock = (struct vtb_perf_clock){ .shift = (uint16_t)v[PT_TIME_SHIFT],
			                               .mult = (uint32_t)v[PT_TIME_MULT],
			                               .zero = v[PT_TIME_ZERO] };
	return 0;
}

static int read_auxtrace(struct record *rec)
{
	struct vtb_perf_data *data = rec->data;
	struct vtb_perf_chunk chunk;

	if (rec->size < 36)
		return broken(rec, "AUXTRACE is too short");
	chunk.size = u64(rec, 0);
	chunk.offset = u64(rec, 8);
	chunk.reference = u64(rec, 16);
	chunk.idx = u32(rec, 24);
	chunk.tid = u32(rec, 28);
	chunk.cpu = u32(rec, 32);
	chunk.data = rec->body + rec->size;
	chunk.place = rec->stream->before + rec->place + 8 + rec->size;
	if (chunk.size > rec->room)
		return broken(rec, "the trace data behind AUXTRACE is cut off");
	if (chunk.offset + chunk.size < chunk.offset)
		return broken(rec, "AUXTRACE at an impossible offset");
	rec->extra = chunk.size;
	if (vtb_array_room(data, chunks) < 0)
		return -ENOMEM;
	data->chunks[data->n_chunks++] = chunk;
	return 0;
}

static int read_time_conv(struct record *rec)
{
	if (rec->size < 24)
		return broken(rec, "TIME_CONV is too short");
	rec->data->clock = (struct vtb_perf_clock){ .shift = (uint16_t)u64(rec, 0),
		                                    .mult = (uint32_t)u64(rec, 8),
		                                    .zero = u64(rec, 16) };
	return 0;
}

/* Pipe format: an attribute (its own size in its second word), then ids. */
static int read_header_attr(struct record *rec)
{
	uint32_t size;
	int r;

	if (rec->size < PERF_ATTR_SIZE_VER0)
		return broken(rec, "HEADER_ATTR is too short");
	size = u32(rec, 4);
	if (size < PERF_ATTR_SIZE_VER0 || size > rec->size || (rec->size - size) % 8)
		return broken(rec, "HEADER_ATTR of an impossible size");
	r = vtb_perf_add_attr(rec->data, rec->body, size, rec->body + size, (rec->size - size) / 8);
	return r == -VTB_E_LIMIT ? broken(rec, "too many ids") : r;
}

/* The second kind says how many bytes of it are not padding. */
static int read_compressed(struct record *rec, bool two)
{
	const uint64_t size = !two ? rec->size : rec->size >= 8 ? u64(rec, 0) : 0, skip = two ? 8 : 0;

	if (rec->size < skip || size > rec->size - skip)
		return broken(rec, "compressed data of an impossible size");
	if (rec->stream->inside)
		return broken(rec, "compressed data inside compressed data");
	return vtb_perf_unpack(rec->data, rec->stream, rec->body + skip, size, rec->place, rec->err);
}

static int read_feature(struct record *rec)
{
	if (rec->size < 8)
		return broken(rec, "HEADER_FEATURE is too short");
	return vtb_perf_feature(rec->data, u64(rec, 0), rec->stream->path, rec->place, rec->body + 8, rec->size - 8,
	                        rec->err);
}

static int read_record(struct record *rec, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return read_mmap(rec, false);
	case PERF_RECORD_MMAP2:
		return read_mmap(rec, true);
	case PERF_RECORD_COMM:
		return read_comm(rec);
	case PERF_RECORD_FORK:
		return read_fork_exit(rec, VTB_PERF_FORK);
	case PERF_RECORD_EXIT:
		return read_fork_exit(rec, VTB_PERF_EXIT);
	case PERF_RECORD_ITRACE_START:
		return read_itrace_start(rec);
	case PERF_RECORD_AUX:
		return read_aux(rec);
	case PERF_RECORD_SWITCH:
		return read_switch(rec, false);
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return read_switch(rec, true);
	case PERF_RECORD_LOST:
		return read_lost(rec);
	case RECORD_HEADER_ATTR:
		return read_header_attr(rec);
	case RECORD_BUILD_ID:
		return vtb_perf_build_record(rec->data, rec->misc, rec->body, rec->size);
	case RECORD_AUXTRACE_INFO:
		return read_auxtrace_info(rec);
	case RECORD_AUXTRACE:
		return read_auxtrace(rec);
	case RECORD_TIME_CONV:
		return read_time_conv(rec);
	case RECORD_HEADER_FEATURE:
		return read_feature(rec);
	case RECORD_COMPRESSED:
		return read_compressed(rec, false);
	case RECORD_COMPRESSED2:
		return read_compressed(rec, true);
	default: /* samples, statistics, ...: nothing that control flow needs */
		return 0;
	}
}

int vtb_perf_record(struct vtb_perf_data *data, struct vtb_perf_stream *stream, const uint8_t *bytes, uint64_t left,
                    uint64_t place, uint64_t *ret_size, struct vtb_error *err)
{
	struct record rec = { .data = data, .stream = stream, .place = place, .err = err };
	struct perf_event_header header;
	int r;

	memcpy(&header, bytes, sizeof(header));
	rec.misc = header.misc;
	rec.body = bytes + sizeof(header);
	rec.size = header.size - sizeof(header);
	rec.room = left - header.size;
	r = read_record(&rec, header.type);
	*ret_size = header.size + rec.extra;
	return r;
}
