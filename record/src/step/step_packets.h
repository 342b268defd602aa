/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file step_packets.h
 * The packets of one thread, as a processor tracing user mode only would write them. Return compression follows the
 * SDM: a return to the address on the 64-entry stack is a taken bit; the stack is cleared at PSB, at every break of
 * tracing and at a return that does not fit (libipt does not pop there, perf does: an empty stack suits both).
 */
#ifndef VTB_STEP_PACKETS_H
#define VTB_STEP_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "step_insn.h"
#include "vtb/error.h"
#include "vtb/step.h"

struct step_packets;

/** Packets go to the file `path`. */
int step_packets_new(const char *path, const struct vtb_step_opts *opts, uint64_t tsc, struct step_packets **ret,
                     struct vtb_error *err);
/** End the file. Returns the bytes written, or a negative errno. */
int64_t step_packets_free(struct step_packets *p);

void step_packets_enable(struct step_packets *p, uint64_t tsc, uint64_t ip);
/** Tracing stops after a system call (`at` 0), or before the instruction `at`. */
void step_packets_disable(struct step_packets *p, uint64_t at);
/** The instruction at `ip` was executed; the thread is at `next` now. Not for STEP_FAR. */
void step_packets_executed(struct step_packets *p, uint64_t tsc, const struct step_insn *insn, uint64_t ip,
                           uint64_t next);
bool step_packets_enabled(const struct step_packets *p);

#endif /* VTB_STEP_PACKETS_H */
