/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_recording.h
 * Reader of the directories that the backends pt and step write (vtb/pt_record.h, docs/format/pt.md).
 *
 * Ownership: owns everything; files are mapped and live as long as the struct.
 */
#ifndef VTB_PT_RECORDING_H
#define VTB_PT_RECORDING_H

#include "vtb/input.h"
#include "vtb/pt_record.h"
#include "vtb/pt_session.h"

/** A line of maps.txt. */
struct vtb_pt_map {
	uint64_t lo, hi, offset;
	char perms[5];
	char *path; /* owned; "" none */
};

struct vtb_pt_chunk {
	uint64_t addr, size;
	const uint8_t *data;
};

/** Are `n` bytes at `addr` within the chunk? Any address may be asked for: nothing wraps. */
static inline bool vtb_pt_chunk_holds(const struct vtb_pt_chunk *c, uint64_t addr, uint64_t n)
{
	return addr >= c->addr && n <= c->size && addr - c->addr <= c->size - n;
}

/** Who created a thread, if the recording says so. */
struct vtb_pt_birth {
	uint32_t parent; /* slot, smaller than the child's; VTB_PT_NONE: not known */
	uint32_t nth;    /* the parent's nth child, from 0 */
};

/** Which build of a file was recorded. */
struct vtb_pt_build {
	char *path; /* owned */
	uint8_t id[24];
	uint32_t id_size;
};

struct vtb_pt_recording {
	char *dir;
	char *source;                  /* "step", "pt" */
	struct vtb_pt_session session; /* threads[].tid is the slot */
	struct vtb_pt_map *maps;
	size_t n_maps, cap_maps;
	struct vtb_pt_chunk *data; /* by address; parts of data.bin */
	size_t n_data, cap_data;
	const struct vtb_pt_log *log;
	size_t n_log;
	uint32_t *tids; /* by slot */
	size_t n_tids, cap_tids;
	struct vtb_pt_birth *births; /* by slot; may be fewer than tids */
	size_t n_births, cap_births;
	struct vtb_pt_build *builds; /* of files with a build-id, if the recording says */
	size_t n_builds, cap_builds;
	uint32_t died; /* slot of the thread that a signal ended; VTB_PT_NONE: not known */
	bool total;    /* time stamps tell the order of all accesses */
	struct vtb_input *files;
	size_t n_files, cap_files;
};

/** Read everything and decode the packets once. -VTB_E_FORMAT, -VTB_E_VERSION, errno. */
int vtb_pt_recording_read(const char *dir, unsigned jobs, struct vtb_pt_recording *ret, struct vtb_error *err);
/** Also after an error, and for {0}. */
void vtb_pt_recording_fini(struct vtb_pt_recording *rec);

/** The build of the file, NULL if it is not known. */
const struct vtb_pt_build *vtb_pt_recording_build(const struct vtb_pt_recording *rec, const char *path);

/* ------------------------------------------------------------------ truth */

/** The registers of one thread before each instruction, as the stepper saw them. */
struct vtb_pt_truth_reader {
	struct vtb_input file;
	size_t at;
	uint64_t tsc, ip;
	uint64_t regs[VTB_PT_TRUTH_REGS];
};

/** -ENOENT if the recording has none. The recording keeps the file. */
int vtb_pt_truth_open(struct vtb_pt_recording *rec, uint32_t slot, struct vtb_pt_truth_reader *ret,
                      struct vtb_error *err);
/** 1: the next instruction stands in *t; 0: end; -VTB_E_FORMAT. */
int vtb_pt_truth_next(struct vtb_pt_truth_reader *t);

#endif /* VTB_PT_RECORDING_H */
