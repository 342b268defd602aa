/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file kept_records.h  Kinds of records in a file of kept runs (docs/format/state.md), and how one is put. */
#ifndef VTB_KEPT_RECORDS_H
#define VTB_KEPT_RECORDS_H

#include <stdlib.h>

#include "kept_bytes.h"

enum kept_record {
	KEPT_MODULE, /* the first five as enum kept_table */
	KEPT_THREAD,
	KEPT_SITE,
	KEPT_OBJECT,
	KEPT_VARIABLE,
	KEPT_ROW,  /* an event, and who could have been chosen in its place */
	KEPT_TAIL, /* how runs end */
	KEPT_RUN,
	KEPT_LEARNT, /* what the runner has learnt by the runs before */
	KEPT_RECORDS
};

/* kind, size, the bytes */
static inline void kept_put_record(struct kept_out *out, enum kept_record kind, const struct kept_out *record)
{
	kept_put(out, kind);
	kept_put(out, record->n_bytes);
	kept_put_bytes(out, record->bytes, record->n_bytes);
}

#endif /* VTB_KEPT_RECORDS_H */
