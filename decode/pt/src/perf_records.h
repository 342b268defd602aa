/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file perf_records.h
 * The records inside perf.data; between perf_data.c and perf_records.c only.
 */
#ifndef DECODE_PERF_RECORDS_H
#define DECODE_PERF_RECORDS_H

#include <linux/perf_event.h>

#include "perf_data.h"

/** Read the records in [offset, end) of the file. */
int vtb_perf_records(struct vtb_perf_data *data, uint64_t offset, uint64_t end, struct vtb_error *err);

/** Learn one event description; `bytes`: a perf_event_attr of `size` bytes. -ENOMEM, -VTB_E_LIMIT. */
int vtb_perf_add_attr(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size, const uint8_t *ids,
                      uint64_t n_ids);

/** Learn the processor from a CPUID feature (length, text). What does not look like one is ignored. */
void vtb_perf_set_cpuid(struct vtb_perf_data *data, const uint8_t *bytes, uint64_t size);

#endif /* DECODE_PERF_RECORDS_H */
