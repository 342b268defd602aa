/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file source_pt.h
 * Inside of the PT sources: from a PT recording to a trace. pt_events.c turns log entries and accesses into events.
 */
#ifndef DECODE_SOURCE_PT_H
#define DECODE_SOURCE_PT_H

#include "pt_recording.h"
#include "recover.h"
#include "vtb/trace.h"

/** Recover `rec` and append its events to the trace; names come from the mapped files. */
int pt_events(struct vtb_pt_recording *rec, struct vtb_trace *trace, struct recover_stats *ret_stats, struct vtb_error *err);

#endif /* DECODE_SOURCE_PT_H */
