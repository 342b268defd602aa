/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file hunt_args.h The options of `vtb hunt`. */
#ifndef VTB_HUNT_ARGS_H
#define VTB_HUNT_ARGS_H

#include "per_test.h"
#include "vtb/cli.h"
#include "vtb/hunt.h"

struct hunt_args {
	struct vtb_cli cli;
	struct vtb_hunt_opts opts;
	bool per_test;
	struct vtb_hunt_items items;
	const char *shard;         /* "2/5", or NULL */
	const char *baseline_path; /* NULL: no failure is known */
	struct vtb_baseline baseline;
	struct vtb_per_test suite;
	const char *max_disk; /* "500M", or NULL */
	char **options;       /* before the program's name, as they were typed */
	char **pinned;        /* the command with what a build tool has set for it; NULL: nothing */
};

/** Read them; a usage error exits with 2. */
void vtb_hunt_read_args(struct hunt_args *a, int argc, char **argv);

#endif /* VTB_HUNT_ARGS_H */
