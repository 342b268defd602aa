/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file source.h
 * Kinds of recordings that vtb-decode reads: one row in decode.c, one file each. To add one, write
 * `const struct vtb_trace_source vtb_source_x` in source_x.c and name it in the table.
 */
#ifndef VTB_DECODE_SOURCE_H
#define VTB_DECODE_SOURCE_H

#include <stdbool.h>

#include "vtb/ingest.h"
#include "vtb/json.h"
#include "vtb/trace.h"

struct vtb_trace_source {
	const char *name; /* "recording" */
	const char *help; /* one line: "a directory written by vtb-record"; NULL: recognised to be refused */
	/** Does the path look like one? Judged by a few bytes or names; a damaged one should still be recognised, so
	 * that the reader can say what is wrong with it. */
	bool (*matches)(const char *path);
	int (*read)(const char *path, struct vtb_trace *trace, struct vtb_error *err);
	/** The same without holding the events; NULL: cannot. */
	int (*read_to)(const char *path, const struct vtb_ingest_sink *sink, struct vtb_trace *trace,
	               struct vtb_error *err);
	/** Members for --json that only this kind has; NULL: none. */
	void (*describe)(const char *path, struct vtb_json_writer *w);
};

extern const struct vtb_trace_source vtb_source_recording;
extern const struct vtb_trace_source vtb_source_pt;
extern const struct vtb_trace_source vtb_source_joined;
extern const struct vtb_trace_source vtb_source_perf;

#endif /* VTB_DECODE_SOURCE_H */
