/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover.h
 * Which addresses the instructions of a PT recording accessed. Packets give control flow only; addresses are recomputed
 * by interpreting the instructions of all threads over one emulated memory (ProRace's and REPT's idea), with the log of
 * synchronisation and allocation calls as facts (arguments, results, stack pointers) and as order: a thread does not
 * pass its place in the log before its turn.
 *
 * Never guessed: a register or byte is known or not. It becomes unknown when an instruction that is not modelled may
 * change it, when a store goes to an unknown address (then all writable memory is forgotten), when something is lost,
 * and when it was written by another thread without an order in the log between that write and this read. Such racy
 * words are found in a first pass and are unknown in the last, in which no new ones turn up. Contracts: allocator,
 * pthread, stdio and string functions are not interpreted; what they do is known from their specification. So are the
 * dynamic linker and the unwinder. Callee-saved registers and the stack pointer survive a call that returns to its
 * return address (System V ABI). Assumed, and stated with every result: these contracts and the ABI. Complexity:
 * O(instructions) a pass, at most VTB_RECOVER_PASSES passes; memory: 40 bytes a word of memory touched.
 */
#ifndef VTB_RECOVER_H
#define VTB_RECOVER_H

#include "vtb/disasm_ops.h"
#include "vtb/pt_recording.h"

#define VTB_RECOVER_PASSES 6u

enum vtb_recover_state { VTB_RECOVER_UNKNOWN, VTB_RECOVER_EXACT, VTB_RECOVER_SYMBOLIC };

/** One access of one executed instruction. */
struct vtb_recover_access {
	uint64_t tsc, ip;
	uint64_t addr; /* EXACT; SYMBOLIC: distance (two's complement) from a place on the thread's own stack that is
	                  not known */
	uint64_t size; /* bytes; 0 unknown */
	uint32_t slot;
	uint8_t mode;  /* OPS_READS | OPS_WRITES */
	uint8_t state; /* enum vtb_recover_state */
	uint8_t index; /* which of the instruction's accesses */
	bool atomic;
	bool quiet;     /* inside a contract: not interpreted, always unknown */
	bool library;   /* in the C or C++ library, the dynamic linker, the unwinder */
	bool implicit;  /* the stack slot of a push, pop, call, return; where an indirect branch reads its target */
	bool own_stack; /* near the thread's own stack pointer, and no other thread reaches it */
	/* EXACT: on whose stack it lies, if several threads reach it there; VTB_PT_NONE: none is known */
	uint32_t stack_of;
	uint64_t call_pc, call_sp; /* the first time for that call of the owner's: where it stands; 0: it was told */
	bool call_exact;           /* call_pc is the instruction, no return address */
};

/** Called in an order that the log and the clock allow. A negative return ends the recovery with that value. */
struct vtb_recover_sink {
	int (*instruction)(void *arg, uint32_t slot, uint64_t ip); /* may be NULL */
	int (*access)(void *arg, const struct vtb_recover_access *access);
	/* stack: return addresses of the calls that led here, innermost first; may be NULL */
	int (*log)(void *arg, const struct vtb_pt_log *log, const uint64_t *stack, size_t n_stack);
	int (*gap)(void *arg, uint32_t slot, const struct vtb_pt_gap *gap); /* may be NULL */
	void *arg;
};

struct vtb_recover_stats {
	uint64_t instructions;
	uint64_t accesses[3]; /* by state, without those inside contracts */
	uint64_t quiet;       /* accesses inside contracts */
	uint64_t forgotten;   /* times all memory was forgotten */
	uint64_t racy_words;
	uint64_t contradictions; /* facts of the log against values believed known: must be 0 */
	unsigned passes;
};

/** Recover everything; the sink is called in the last pass only. 0, -ENOMEM, or the sink's. */
int vtb_recover(struct vtb_pt_recording *rec, const struct vtb_recover_sink *sink, struct vtb_recover_stats *ret,
                struct vtb_error *err);

#endif /* VTB_RECOVER_H */
