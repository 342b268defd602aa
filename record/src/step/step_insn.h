/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file step_insn.h
 * As much of the x86-64 instruction format as a PT encoder needs: which instructions branch, and how long those are.
 */
#ifndef VTB_STEP_INSN_H
#define VTB_STEP_INSN_H

#include <stdint.h>

enum step_class {
	STEP_OTHER, /* goes to the instruction after it, or repeats (rep); size not determined */
	STEP_COND,
	STEP_JUMP, /* direct: no packet */
	STEP_JUMP_INDIRECT,
	STEP_CALL,
	STEP_CALL_INDIRECT,
	STEP_RETURN,
	STEP_FAR, /* leaves user mode or changes the code segment */
};

struct step_insn {
	uint8_t class; /* enum step_class */
	uint8_t size;  /* of branches; 0 for STEP_OTHER */
};

/** `bytes`: 15 bytes of code, zeros where unreadable. */
struct step_insn step_classify(const uint8_t bytes[15]);

#endif /* VTB_STEP_INSN_H */
