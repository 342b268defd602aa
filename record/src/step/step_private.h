/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file step_private.h  The stepper's state: step.c runs the threads, step_log.c writes down what they do. */
#ifndef VTB_STEP_PRIVATE_H
#define VTB_STEP_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/user.h>

#include "step_files.h"
#include "step_packets.h"
#include "vtb/step.h"

#define RETURNS_MAX 256u

enum state { READY, MOVING, DEAD };

/* A call of a logged function that has not returned. */
struct pending {
	uint64_t ip, rsp; /* after its return */
	uint16_t function;
};

struct thread {
	pid_t tid;
	uint32_t slot;
	uint32_t parent, nth; /* slot of the creator, and which of its children; parent == slot: not known, or main */
	uint32_t n_children;
	enum state state;
	struct user_regs_struct regs;
	struct step_insn insn; /* at regs.rip, not yet executed */
	bool has_insn;
	bool started; /* its first instruction was reached */
	struct step_packets *packets;
	FILE *truth;
	uint64_t shown[VTB_PT_TRUTH_REGS]; /* registers as last written to the truth */
	bool shown_any;
	struct pending returns[RETURNS_MAX];
	unsigned n_returns;
	bool told_birth; /* the log has its first entry */
	uint64_t told_ip,
	    told_rsp;          /* the log has spoken of this place, but a signal came before the instruction; 0 none */
	int signal;            /* to be delivered with the next step */
	uint64_t paused_until; /* instruction of the run before which others go first */
};

/* What an address holds; direct-mapped, as code hardly changes. */
struct code {
	uint64_t ip;
	struct step_insn insn;
};

struct stepper {
	const struct vtb_step_opts *opts;
	struct vtb_step_result *result;
	struct vtb_error *err;
	struct step_files files;
	struct thread **threads;
	size_t n_threads, cap_threads;
	struct code *code;
	struct thread *running; /* had the last turn */
	uint32_t signalled;     /* slot of the thread that took the last signal */
	uint64_t seq;
	uint64_t random;
	pid_t pid;
	int error;
};

/** One entry of the log: where the thread stands, with `n` arguments. */
void step_log_call(struct stepper *s, const struct thread *t, uint8_t phase, uint16_t function, uint8_t n);
/** The thread executes the instruction that it is at now: is it born here, does a logged function begin or end here? */
void step_log_here(struct stepper *s, struct thread *t);
/** It did not: a signal came first. */
void step_log_interrupted(struct thread *t);
/** The instruction that it is at, with the registers that changed, for the tests. */
void step_log_truth(struct stepper *s, struct thread *t);
/** pt.json. 0 or an errno. */
int step_log_json(struct stepper *s);

#endif /* VTB_STEP_PRIVATE_H */
