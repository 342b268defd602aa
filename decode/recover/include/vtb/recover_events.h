/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_events.h
 * From a recording of packets to the events of a trace: recovered accesses, and what the log says, under the names that
 * ingest gives.
 */
#ifndef VTB_RECOVER_EVENTS_H
#define VTB_RECOVER_EVENTS_H

#include "vtb/pt_recording.h"
#include "vtb/recover.h"
#include "vtb/trace.h"

/** Recover `rec` and append its events to the trace; names come from the mapped files. */
int vtb_recover_events(struct vtb_pt_recording *rec, struct vtb_trace *trace, struct vtb_recover_stats *ret_stats,
                       struct vtb_error *err);

/** Recover `rec`, whose packets were recorded together with the runtime's log in `dir`, and append the events of both.
 * rec->tids are the kernel's numbers of rec->session.threads[].tid. */
int vtb_recover_join(const char *dir, struct vtb_pt_recording *rec, struct vtb_trace *trace, struct vtb_error *err);

#endif /* VTB_RECOVER_EVENTS_H */
