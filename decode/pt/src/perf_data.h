/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file perf_data.h
 * Reader of Linux perf's recordings (perf.data, file and pipe format), as far as Intel PT needs them: who ran where and
 * when, what was mapped, and the trace buffers. Format: tools/perf/Documentation/perf.data-file-format.txt and
 * linux/perf_event.h.
 *
 * Shape:     one pass over the records; lists in the order of the file (perf writes them nearly in time order: sort by
 * time to be sure); numbers of records are in order of time, where records have one. Files of perf record -z (records
 * in zstd frames) and directories of perf record --threads (a file for each writer) read the same. Refused by name:
 * other byte orders, traces that are not Intel PT. Ownership: files are mapped; buffers point into the mappings, texts
 * also into what was unpacked, and live as long as the struct.
 */
#ifndef DECODE_PERF_DATA_H
#define DECODE_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"
#include "vtb/input.h"
#include "vtb/pt.h"

#define VTB_PERF_NONE UINT32_MAX

/** A kind of event that was recorded. */
struct vtb_perf_attr {
	uint32_t type;
	uint64_t config, sample_type;
	bool sample_id_all;
	bool enable_on_exec;    /* a process that perf started is recorded, not whole CPUs */
	size_t first_id, n_ids; /* in vtb_perf_data.ids */
};

/** Trailer of a record: who and when. Fields that were not recorded are VTB_PERF_NONE (time: 0). */
struct vtb_perf_id {
	uint64_t time; /* nanoseconds of perf's clock */
	uint32_t pid, tid, cpu;
};

struct vtb_perf_mmap {
	struct vtb_perf_id id;
	uint32_t pid, tid;
	uint64_t addr, size, offset; /* offset in the file */
	const char *path;            /* NUL-terminated */
	uint64_t seq;                /* number of the record */
	bool executable;
};

struct vtb_perf_switch {
	struct vtb_perf_id id; /* the thread that is switched in or out; `cpu` where */
	bool out;
};

enum vtb_perf_task_kind { VTB_PERF_FORK, VTB_PERF_EXIT, VTB_PERF_COMM, VTB_PERF_EXEC, VTB_PERF_ITRACE_START };

struct vtb_perf_task {
	struct vtb_perf_id id;
	uint32_t kind; /* enum vtb_perf_task_kind */
	uint32_t pid, tid, ppid, ptid;
	uint64_t seq;     /* number of the record */
	const char *comm; /* COMM, EXEC; else NULL */
};

/** PERF_RECORD_AUX: how a part of the trace came about. */
struct vtb_perf_aux {
	struct vtb_perf_id id;
	uint64_t offset, size, flags; /* PERF_AUX_FLAG_* */
};

/** A part of a trace buffer, as perf read it. */
struct vtb_perf_chunk {
	uint32_t idx;      /* of the buffer */
	uint32_t tid, cpu; /* VTB_PERF_NONE: any */
	uint64_t offset;   /* in the buffer's endless stream */
	uint64_t reference;
	const uint8_t *data; /* borrowed from the mapping */
	uint64_t size;
	uint64_t place; /* of `data` in the file; files of a directory count one behind the other */
};

/** tsc = inverse of: ns = zero + (tsc * mult >> shift), computed without overflow. mult 0: unknown. */
struct vtb_perf_clock {
	uint16_t shift;
	uint32_t mult;
	uint64_t zero;
};

#define VTB_PERF_ID_SIZE 20u

/** A file of which the recording says which build it was. */
struct vtb_perf_build {
	const char *path;
	const uint8_t *id;
	uint32_t id_size; /* 1 to VTB_PERF_ID_SIZE */
};

struct vtb_perf_data {
	const uint8_t *bytes; /* the file with the header; borrowed */
	size_t size;
	char path[4096];
	struct vtb_input *files; /* mapped */
	size_t n_files, cap_files;
	void **blocks; /* what was unpacked */
	size_t n_blocks, cap_blocks;
	uint64_t unpacked, unpacked_max; /* bytes in them; may become (0: a limit of our own) */
	bool pipe;
	bool has_pt; /* an AUXTRACE_INFO of Intel PT was there */
	bool snapshot, per_cpu;
	uint32_t pt_type; /* number of the PMU */
	struct vtb_pt_cpu cpu;
	struct vtb_perf_clock clock;
	uint64_t mtc_freq_bits;
	struct vtb_perf_attr *attrs;
	size_t n_attrs, cap_attrs;
	uint64_t *ids;
	size_t n_ids, cap_ids;
	struct vtb_perf_mmap *mmaps;
	size_t n_mmaps, cap_mmaps;
	struct vtb_perf_switch *switches;
	size_t n_switches, cap_switches;
	struct vtb_perf_task *tasks;
	size_t n_tasks, cap_tasks;
	struct vtb_perf_aux *auxes;
	size_t n_auxes, cap_auxes;
	struct vtb_perf_chunk *chunks;
	size_t n_chunks, cap_chunks;
	struct vtb_perf_build *builds;
	size_t n_builds, cap_builds;
	uint64_t n_records, n_lost; /* lost: as the kernel counted them */
};

/** Read the file or directory. `data` must be {0}; release with vtb_perf_fini(), also after an error. errno,
 * -VTB_E_FORMAT, -VTB_E_UNSUPPORTED, -VTB_E_LIMIT. */
int vtb_perf_read(const char *path, struct vtb_perf_data *data, struct vtb_error *err);

/** The same for bytes in memory (borrowed). */
int vtb_perf_read_bytes(const void *bytes, size_t size, struct vtb_perf_data *data, struct vtb_error *err);

/** Bare records without a file header, all with the same sample_type (ring buffers that another tool saved). */
int vtb_perf_read_records(const void *bytes, size_t size, uint64_t sample_type, struct vtb_perf_data *data,
                          struct vtb_error *err);

/** The recorded build of the file mapped as `path`; NULL: not known. */
const struct vtb_perf_build *vtb_perf_build_of(const struct vtb_perf_data *data, const char *path);

void vtb_perf_fini(struct vtb_perf_data *data);

/** Time-stamp counter at a time of perf's clock; 0 if the conversion is unknown. */
uint64_t vtb_perf_tsc(const struct vtb_perf_clock *clock, uint64_t ns);

#endif /* DECODE_PERF_DATA_H */
