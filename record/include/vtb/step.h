/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file step.h
 * Runs a program one instruction at a time and writes what Intel PT would have written, with the log that the preloaded
 * runtime would have written: the recording of backend `step`, for machines without PT and as the oracle of the tests.
 * 25 to 60 µs an instruction.
 *
 * Shape:     a directory as vtb/pt_record.h says. The clock is the number of the instruction in the whole run, so the
 * order of everything is known. Threads run one at a time, a random number of instructions each (seeded), except in
 * system calls. Threads:   one run at a time in a process; the calling thread is the tracer.
 */
#ifndef VTB_STEP_H
#define VTB_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "vtb/error.h"

struct vtb_step_opts {
	const char *dir;     /* exists; files are written there */
	const char *program; /* path */
	char *const *argv;
	char *const *envp; /* NULL: this process's */
	uint64_t seed;
	uint32_t quantum;   /* a thread runs at most so many instructions in a row; 0: 40 */
	uint32_t psb_bytes; /* a PSB about every so many bytes; 0: 4096 */
	uint32_t
	    async_every; /* break the trace as an interrupt does, on average every so many instructions; 0: never */
	bool no_ret_compression;
	bool long_tnt;   /* 47 branches a packet instead of 6 */
	bool truth;      /* write thread-N.truth */
	bool exact_time; /* break the trace whenever another thread goes on, as a processor does that they share: all
	                    order is known */
	uint32_t noise; /* pause a thread in code that is not the system's, on average at every so many instructions; 0:
	                   never */
	bool from_exec; /* record from the dynamic linker's first instruction instead of the program's */
	uint64_t max_instructions; /* then the program goes on unrecorded; 0: no limit */
};

struct vtb_step_result {
	uint64_t instructions;
	uint32_t threads;
	uint64_t packet_bytes;
	int status;   /* as waitpid() gives it */
	bool limited; /* max_instructions was reached */
};

/** Run to the program's end. -VTB_E_TARGET: cannot be started or traced; errno of the files. */
int vtb_step_run(const struct vtb_step_opts *opts, struct vtb_step_result *ret, struct vtb_error *err);

#endif /* VTB_STEP_H */
