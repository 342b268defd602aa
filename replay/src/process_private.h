/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runner on the real program, for process_*.c. */
#ifndef VTB_PROCESS_PRIVATE_H
#define VTB_PROCESS_PRIVATE_H

#include "vtb/process_runner.h"

#include "server.h"
#include "vtb/call_sites.h"
#include "verdict.h"

struct process_runner {
	struct vtb_runner base;
	struct vtb_process_opts opts;
	struct vtb_target target;
	struct vtb_runtime_paths runtime;
	struct pass_rule pass;
	struct server server;
	struct vtb_symtab tab;
	struct vtb_symbols *symbols;
	struct vtb_ingest *ingest;
	uint32_t modules_known; /* of the server now running */
	uint32_t encode_flags;
	struct vtb_wire_break *breaks; /* runtime addresses */
	struct vtb_call_sites sites;   /* of the program's file */
	uint64_t *words; /* records of the last run */
	size_t n_words;
	char engine_reason[300];
	struct server check;      /* the next slower engine, for samples; see cross_check.c */
	uint64_t runs, cross_checked;
};

/* quiet.c: struct vtb_runner_ops.quiet */
int64_t vtb_process_quiet(struct vtb_runner *runner, const uint8_t *quiet, size_t n);

/* cross_check.c: is this run one of the sample? */
bool vtb_cross_check_due(struct process_runner *p, const struct vtb_wire_outcome *outcome);
/* Run `schedule` (encoded) on the next slower engine. 1: same outcome; 0: another one (p->engine_reason says which); or an error. */
int vtb_cross_check(struct process_runner *p, const void *schedule, size_t size, const struct server_result *fast, struct vtb_error *err);

static inline struct process_runner *vtb_process_of(const struct vtb_runner *runner)
{
	return (struct process_runner *)runner;
}

#endif /* VTB_PROCESS_PRIVATE_H */
