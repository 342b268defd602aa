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

/** Recover `rec`, whose packets were recorded together with the runtime's log in `dir`, and append the events of both. rec->tids are the
 *  kernel's numbers of rec->session.threads[].tid. */
int pt_join(const char *dir, struct vtb_pt_recording *rec, struct vtb_trace *trace, struct vtb_error *err);

#endif /* DECODE_SOURCE_PT_H */
