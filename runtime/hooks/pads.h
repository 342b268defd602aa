/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pads.h
 * Pads (vtb/pad_site.h) in the modules of this process: finding them, switching them on, and what happens at one.
 */
#ifndef VTB_RT_PADS_H
#define VTB_RT_PADS_H

#include <stdbool.h>
#include <stdint.h>

/** Are there modules with pads? O(modules). */
bool vtb_pads_present(void);

/** Switch the pads of all modules on that are not on yet. Only while one thread runs. O(sites). */
void vtb_pads_on(void);

/** The program's registers at a pad, as pads_entry.c puts them on the stack. */
struct vtb_pad_regs {
	uint64_t r11, r10, r9, r8;
	uint64_t flags; /* lahf in bits 8..15, overflow in bit 0 */
	uint64_t rsi, rdi, stub, rdx, rcx, rax;
	uint64_t red_zone[16];
	/* the program's stack pointer is the address behind this */
};

/* entry points, in assembler */
void vtb_pads_enter(void);
void vtb_pads_enter_kept(void); /* in it: what near.c has kept is on the stack, down to r9 */
void vtb_pads_begin(void);
void vtb_pads_end(void);
extern const char vtb_pads_entry_end[] __attribute__((visibility("hidden")));

#endif /* VTB_RT_PADS_H */
