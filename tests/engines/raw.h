/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server without the runner around it: no names, no cross-checks, so that what is measured is the engine. */
#ifndef VTB_TEST_RAW_H
#define VTB_TEST_RAW_H

#include "engines.h"
#include "server.h"
#include "vtb/call_sites.h"

struct raw {
	struct vtb_target target;
	struct vtb_runtime_paths runtime;
	struct vtb_symtab tab;
	struct vtb_call_sites sites;
	struct server server;
};

/* Leave calls of hooks as they are from now on (engines opened later). */
extern bool raw_keep_calls;
/* Run every schedule from main: what is measured is a run, not what a checkpoint spares. */
extern bool raw_from_main;
extern bool raw_states; /* runs tell their states (--match-states) */
/* Further VTB_OPT_*. */
extern uint32_t raw_options;
/* Take them all out. */
extern bool raw_quiet;

/* Ends the process on trouble; with status 77 if this machine cannot do it. */
void raw_open(struct raw *raw, const struct setting *setting, char *const *argv, uint32_t slots);
void raw_close(struct raw *raw);
/* The policy random with this seed, or, with seed 0, the default schedule. */
void raw_post(struct raw *raw, uint64_t seed);
/* The outcome of the oldest schedule posted, whose events are thrown away. */
struct vtb_wire_outcome raw_take(struct raw *raw);

#endif /* VTB_TEST_RAW_H */
