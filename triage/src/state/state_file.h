/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file state_file.h
 * state.json (docs/format/state.md): how a hunt was asked for, and all that its runs depend on, by which it is told
 * whether they still hold.
 *
 * Ownership: owns its strings.
 */
#ifndef VTB_STATE_FILE_H
#define VTB_STATE_FILE_H

#include "vtb/error.h"
#include "vtb/runner_options.h"

/** What runs depend on besides their schedules: a name and a value that must be the same. */
struct vtb_state_fact {
	char *name, *value;
};

struct vtb_state_file {
	char *cwd, *writer;     /* who wrote it: vtb_state_writer() */
	char **options, **argv; /* NULL-terminated: before and after the program's name */
	struct vtb_state_fact *facts;
	size_t n_facts, cap_facts;
};

/** Add a fact; NULL stands for "". 0 or -ENOMEM. */
int vtb_state_fact(struct vtb_state_file *s, const char *name, const char *value);
/** Facts of the options by which a program is run. 0, -ENOMEM, or errno of a file that they name. */
int vtb_state_add_runner(struct vtb_state_file *s, const struct vtb_runner_opts *opts, struct vtb_error *err);
/** Facts of this vtb, of the program's file at `image`, and of variables of the environment. Likewise. */
int vtb_state_add_builds(struct vtb_state_file *s, const char *image, struct vtb_error *err);
/** Who we are: this user of this machine; "" if that cannot be told. A fresh string, or NULL. */
char *vtb_state_writer(void);
/** Of all facts. */
uint64_t vtb_state_identity(const struct vtb_state_file *s);
/** Is it about the same as `old`, which stands at `path`? -ESTALE and the first fact that differs. */
int vtb_state_compare(const struct vtb_state_file *s, const struct vtb_state_file *old, const char *path,
                      struct vtb_error *err);

int vtb_state_read(const char *path, struct vtb_state_file *ret, struct vtb_error *err);
int vtb_state_write(const struct vtb_state_file *s, const char *path, struct vtb_error *err);
void vtb_state_fini(struct vtb_state_file *s);

#endif /* VTB_STATE_FILE_H */
