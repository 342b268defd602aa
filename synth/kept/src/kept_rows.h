/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file kept_rows.h  Events and ends of runs in a file of kept runs, for kept_runs.c. */
#ifndef VTB_KEPT_ROWS_H
#define VTB_KEPT_ROWS_H

#include "kept_runs.h"

/* An event; its names go to `out` before. 0 or an error. */
int kept_event_put(struct kept_names *names, const struct vtb_event *e, struct kept_out *out, struct kept_out *record);
/* With ids of the file. */
void kept_event_get(struct kept_in *in, struct vtb_event *e);
/* From those to this process's. Negative: as kept_names_session(). */
int kept_event_settle(struct kept_names *names, struct vtb_event *e);

/* The number of a row, put to `out` if it is new. -VTB_E_LIMIT: there are too many. */
int64_t kept_row_put(struct kept_rows *rows, const struct vtb_event *e, const uint64_t *words, uint32_t stride,
                     struct kept_out *out);
/* With this process's ids, valid until the next call. Negative: as kept_names_session(). */
int kept_row_get(struct kept_rows *rows, uint32_t number, const struct kept_row **ret);
int64_t kept_tail_put(struct kept_rows *rows, const struct vtb_exec *x, struct kept_out *out);
int kept_tail_get(struct kept_rows *rows, uint32_t number, struct vtb_exec *x);

#endif /* VTB_KEPT_ROWS_H */
