/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meta.json of a recording. */
#ifndef VTB_META_H
#define VTB_META_H

#include "vtb/record.h"
#include "vtb/target.h"

/** Write DIR/meta.json through a temporary name. `result` NULL: the run has not ended. `started_ns`: CLOCK_REALTIME. */
int vtb_meta_write(const char *dir, const struct vtb_record_opts *opts, const struct vtb_target *target,
                   uint64_t started_ns, const struct vtb_record_result *result, struct vtb_error *err);

#endif /* VTB_META_H */
