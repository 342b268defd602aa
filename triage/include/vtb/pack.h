/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pack.h
 * A failure as one file that another machine replays: failure.json with schedule, run, source lines and input; the
 * program and its own libraries; what machine it was. A tar file: docs/format/pack.md.
 *
 * Errors:    those of reading and writing; -VTB_E_FORMAT for a file that is no such bundle.
 * Ownership: a comparison owns its texts; vtb_unpacked_fini().
 */
#ifndef VTB_PACK_H
#define VTB_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

#define VTB_PACK_VERSION 1u

struct vtb_pack_opts {
	const char *failure; /* path of failure.json */
	const char *output;  /* the bundle */
	bool no_program;     /* leave the program out: its path and build-id will have to do */
};

/** *ret_left_out: files that are not in it, though they were to be, and why: lines; a fresh string, "" none. */
int vtb_pack(const struct vtb_pack_opts *opts, char **ret_left_out, struct vtb_error *err);

struct vtb_unpacked {
	char **notes;  /* what differs between that machine and this one: a sentence each, NULL-terminated */
	char **argv;   /* the command, with the program that was packed */
	char *failure; /* path of failure.json */
	bool has_program;
};

/** Write what is in the bundle below `dir`, which is made and must be empty, and compare machines. */
int vtb_unpack(const char *bundle, const char *dir, struct vtb_unpacked *ret, struct vtb_error *err);
void vtb_unpacked_fini(struct vtb_unpacked *u);

#endif /* VTB_PACK_H */
