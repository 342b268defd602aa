/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_file.h
 * Writes what the ring buffers gave as a perf.data file in pipe format, which vtb-decode, perf and others read.
 */
#ifndef VTB_PT_FILE_H
#define VTB_PT_FILE_H

#include <stdio.h>

#include "pt_event.h"

struct pt_cpu_id {
	unsigned family, model, stepping;
};

/** Conversion between perf's clock and the time-stamp counter, from a perf page; mult 0: unknown. */
struct pt_clock {
	uint16_t shift;
	uint32_t mult;
	uint64_t zero;
};

/** The file header, the two events (with their ids on each CPU), processor, AUXTRACE_INFO. 0 or -EIO. */
int pt_file_begin(FILE *file, const struct pt_driver *driver, const struct perf_event_attr attrs[2],
                  const uint64_t *const ids[2], size_t n_ids, const struct pt_cpu_id *cpu, const struct pt_clock *clock,
                  bool snapshot);

/** A record as the kernel wrote it. */
int pt_file_record(FILE *file, const void *bytes, uint64_t size);

/** Trace bytes of a CPU, from `offset` of its stream on. */
int pt_file_trace(FILE *file, const void *bytes, uint64_t size, uint64_t offset, uint32_t cpu);

#endif /* VTB_PT_FILE_H */
