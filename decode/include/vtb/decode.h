/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file decode.h
 * What vtb-decode does: a recording of any kind to a trace.json.
 */
#ifndef VTB_DECODE_H
#define VTB_DECODE_H

#include <stdio.h>

#include "vtb/error.h"
#include "vtb/trace.h"

struct vtb_decode_opts {
	const char *input;  /* a recording; "-" standard input */
	const char *output; /* trace.json; "-" stdout */
};

/** Read whatever kind of recording `path` is (the rows of src/decode.c). `trace` must be vtb_trace_init()ed; on error
 * it may be half-filled and is to be vtb_trace_fini()shed. -VTB_E_FORMAT if it is of no known kind. */
int vtb_decode_read(const char *path, struct vtb_trace *trace, struct vtb_error *err);

/** What was decoded. The events are in the file; `trace` has the rest. */
struct vtb_decoded {
	struct vtb_trace trace;
	const char *input;   /* a path that the recording can be read at again; borrowed */
	char from_stdin[32]; /* that path, if it came from standard input */
	uint64_t events, accesses, sync;
	uint64_t exact, symbolic, unknown; /* addresses of accesses */
	bool nameless; /* of no place of the program, nor of its libraries, is the recorded build at hand */
};

/** Read opts->input and write opts->output, which appears whole or not at all. On success *ret is what it holds;
 * release ret->trace. Memory: that of the records, and of the events too where the kind of recording asks for it (PT).
 */
int vtb_decode_run(const struct vtb_decode_opts *opts, struct vtb_decoded *ret, struct vtb_error *err);

/** What keeps programs and libraries of the recording from having names: a line each. O(places). */
void vtb_decode_print_modules(const struct vtb_decoded *d, FILE *out);
/** The summary, for people or as one JSON object (docs/man/vtb-decode.1.md). */
void vtb_decode_print(const struct vtb_decode_opts *opts, const struct vtb_decoded *d, FILE *out);
void vtb_decode_print_json(const struct vtb_decode_opts *opts, const struct vtb_decoded *d, FILE *out);

#endif /* VTB_DECODE_H */
