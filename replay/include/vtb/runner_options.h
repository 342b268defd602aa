/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file runner_options.h
 * What the user may say about how the program is run: one table of options for all commands that run it.
 *
 * Ownership: strings are borrowed.
 */
#ifndef VTB_RUNNER_OPTIONS_H
#define VTB_RUNNER_OPTIONS_H

#include "vtb/cli_options.h"
#include "vtb/process_runner.h"

enum vtb_tier_choice { VTB_TIER_AUTO, VTB_TIER_PADS, VTB_TIER_TSAN, VTB_TIER_BREAK, VTB_TIER_WATCH, VTB_TIER_SYNC };

/** Carrier of the options: enum vtb_wire_carrier, or what the engine needs. */
#define VTB_CARRIER_AUTO (-1)

/** Values of the table's options. Begin with vtb_runner_opts_init(). */
struct vtb_runner_opts {
	enum vtb_tier_choice tier;
	int engine;                /* enum vtb_wire_engine, VTB_ENGINE_AUTO */
	int carrier;               /* enum vtb_wire_carrier, VTB_CARRIER_AUTO */
	enum vtb_wire_dirty dirty; /* engine snapshot */
	uint32_t jobs; /* target processes at a time; 0: one a processor on engine snapshot, else 1. Tier break: 1 */
	uint32_t
	    follow; /* control goes with the child of the program's fork() of this number; 0: stays with the program */
	uint32_t timeout_s;  /* of a run; 0: the command's own limit */
	bool keep_files;     /* no private view of files, and what runs make stays */
	const char *scratch; /* directory for what a run writes in its view; NULL: memory */
	uint32_t scratch_mb; /* room of one run in its view; 0: vtb_process_opts.scratch_bytes */
	bool real_time;      /* clocks and sleeps are the system's, not virtual */
	const char *fail_if; /* "exit!=0" (NULL), "exit!=N", "exit=N,M", "never": which exit statuses are failures */
	bool whole_output;   /* reports have all that a failing run printed */
	const char *source_root;   /* directory of the user's sources; NULL: see vtb/user_sources.h */
	const char *expect_output; /* file with the output that the program must print; NULL: none */
};

extern const struct vtb_cli_row vtb_runner_rows[];

void vtb_runner_opts_init(struct vtb_runner_opts *opts);

/** Everything but argv, cwd and `stop` of ret; no accesses with tier sync. `statuses` (256 entries) holds those of the
 * rule. -EINVAL and a sentence if `fail_if` is no rule, errno if the expected output cannot be read. */
int vtb_runner_opts_read(const struct vtb_runner_opts *opts, int *statuses, struct vtb_process_opts *ret,
                         struct vtb_error *err);

const char *vtb_tier_name(enum vtb_tier_choice tier);
/** -EINVAL: none of them. */
int vtb_tier_by_name(const char *name, enum vtb_tier_choice *ret);

/** "exit!=0", "exit!=N", "exit=N,M,...", "never" into ret->exit_statuses, for which `statuses` (256 entries) gives the
 * room. -EINVAL. */
int vtb_fail_if_read(const char *text, int *statuses, struct vtb_pass_rule *ret);

#endif /* VTB_RUNNER_OPTIONS_H */
