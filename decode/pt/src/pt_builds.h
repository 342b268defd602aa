/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_builds.h
 * Member "modules" of pt.json: which builds of the program and its libraries were recorded.
 */
#ifndef DECODE_PT_BUILDS_H
#define DECODE_PT_BUILDS_H

#include "vtb/json.h"
#include "vtb/pt_recording.h"

/** Absent in older recordings: none. -ENOMEM; else see vtb_json_status(). */
int pt_builds_read(struct vtb_pt_recording *rec, struct vtb_json *doc);
void pt_builds_fini(struct vtb_pt_recording *rec);

#endif /* DECODE_PT_BUILDS_H */
