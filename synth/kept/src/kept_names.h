/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file kept_names.h
 * Names of kept runs. The file has ids of its own, in the order in which its runs needed the names; a process that goes
 * on with it has others. What both mean is found by what survives a process: the path and build-id of a module, the
 * creation path of a thread, a site's place in its module, an object's key.
 *
 *     id of the file --kept_names_session()--> id of this process's table, where the name is added if it is new
 *     id of this process --kept_names_file()--> id of the file, to which the name is put if it is new
 */
#ifndef VTB_KEPT_NAMES_H
#define VTB_KEPT_NAMES_H

#include "kept_bytes.h"
#include "vtb/error.h"
#include "vtb/map64.h"
#include "vtb/symtab.h"

enum kept_table { KEPT_MODULES, KEPT_THREADS, KEPT_SITES, KEPT_OBJECTS, KEPT_VARIABLES, KEPT_TABLES };

struct kept_ids {
	uint32_t *session; /* [id of the file]; VTB_NONE: not looked for yet */
	size_t n_session, cap_session;
	uint32_t *file; /* [id of this process] */
	size_t n_file, cap_file;
	struct vtb_map64 known; /* key of a name -> id of this process */
	size_t n_known;         /* rows of this process that are in it */
};

struct kept_names {
	struct vtb_symtab file; /* names of the file, by its ids */
	struct vtb_symtab *tab; /* this process's */
	struct kept_ids ids[KEPT_TABLES];
	uint64_t *said; /* [id of a thread in the file]: fingerprint of what the file says of it */
	size_t n_said, cap_said;
	bool added;        /* names to `tab`, since whoever fills it was told */
	char rebuilt[300]; /* a module that is another build than the file's; "" none */
};

void kept_names_fini(struct kept_names *names);
/* A record of a name (its kind is read): the file's next id of that table. */
void kept_names_read(struct kept_names *names, enum kept_table table, struct kept_in *in);
/* VTB_NONE stays. Negative: -ENOMEM, -VTB_E_LIMIT, -VTB_E_FORMAT, -ESTALE: `rebuilt` says which. */
int64_t kept_names_session(struct kept_names *names, enum kept_table table, uint32_t id);
/* VTB_NONE stays; records that the file needs before go to `out`. */
int64_t kept_names_file(struct kept_names *names, enum kept_table table, uint32_t id, struct kept_out *out);

#endif /* VTB_KEPT_NAMES_H */
