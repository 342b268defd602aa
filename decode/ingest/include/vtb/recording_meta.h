/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file recording_meta.h  meta.json of a recording directory. */
#ifndef VTB_RECORDING_META_H
#define VTB_RECORDING_META_H

#include "vtb/trace.h"

/** Fill argv, cwd, backend and the outcome from DIR/meta.json. A recording without one is good: then they are empty,
 * and the outcome is unknown (verdict none). */
int vtb_recording_meta(const char *dir, struct vtb_trace *trace, struct vtb_error *err);

#endif /* VTB_RECORDING_META_H */
