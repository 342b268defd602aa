/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_event.h
 * Intel PT through perf_event_open(2): what the driver offers, the events, their ring buffers.
 *
 * One PT event and one sideband event (mappings, tasks, context switches) for each CPU, inherited by the program's
 * threads and started by its exec: threads that live a few microseconds are caught, too, and their flow is told apart
 * by the context switches when decoding.
 */
#ifndef VTB_PT_EVENT_H
#define VTB_PT_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vtb/error.h"

/** What /sys/bus/event_source/devices/intel_pt says. */
struct pt_driver {
	uint32_t type;
	uint64_t tsc_bit, noretcomp_bit, mtc_bit, cyc_bit, branch_bit, pt_bit; /* masks in config; 0: not offered */
	uint64_t mtc_freq_bits, psb_freq_bits;
	uint64_t mtc_periods, psb_periods; /* bit n: value n is valid */
	uint32_t max_nonturbo_ratio;
	uint32_t tsc_ctc_n, tsc_ctc_d; /* TSC : crystal clock; 0 unknown */
};

/** Read it below `sys` ("/sys" outside tests). -ENOENT if there is no driver. */
int pt_driver_read(const char *sys, struct pt_driver *ret, struct vtb_error *err);

/** Attributes of the PT event and of the sideband event. */
void pt_event_attrs(const struct pt_driver *driver, struct perf_event_attr *ret_pt, struct perf_event_attr *ret_side);

/** Why PT cannot be used although the driver is there: the text for an errno of perf_event_open() or mmap(). */
int pt_event_why(int error, bool mapping, struct vtb_error *err);

/* ------------------------------------------------------------------ ring buffers */

/** A mapped perf buffer; also for memory that a test made up. */
struct pt_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t data_size; /* a power of two */
	const uint8_t *aux; /* NULL: none */
	uint64_t aux_size;  /* a power of two */
	bool overwrite;     /* aux is a ring that is only read at the end (snapshot) */
};

/** Called with bytes that follow each other in the stream; a record or chunk that wraps comes in one piece. */
typedef int (*pt_ring_sink)(void *arg, const void *bytes, uint64_t size, uint64_t offset);

/** Hand over every complete record and give the room back. Returns how many, or the sink's negative return, or -EIO for
 * a damaged ring. */
int64_t pt_ring_records(struct pt_ring *ring, pt_ring_sink sink, void *arg);

/** Hand over new trace bytes (overwrite: everything that is in the ring, oldest first) and give the room back. Returns
 * bytes. */
int64_t pt_ring_aux(struct pt_ring *ring, pt_ring_sink sink, void *arg);

#endif /* VTB_PT_EVENT_H */
