/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file pads.h
 * Pads (vtb/pad_site.h) in the modules of this process: finding them, switching them on, and what happens at one.
 */
#ifndef VTB_RT_PADS_H
#define VTB_RT_PADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "vtb/pad_site.h"
#include "vtb/wire.h"

/** Are there modules with pads? O(modules). */
bool vtb_pads_present(void);

/** Switch the pads of all modules on that are not on yet, for this mode. Only while one thread runs. O(sites). */
void vtb_pads_on(enum vtb_wire_mode mode);
/** Likewise those of the library at `at`, if the program has loaded it while it ran, and say in the block that they
 * are. */
void vtb_pads_late(uint64_t at);

/**
 * Where in a stub, as our assembler has written it, the runtime is called for the first time; NULL: it is another one.
 * O(1).
 *
 *     at:  movl $info, %ecx ── leaq behind the pad(%rip), %rdx ── call *table(%rip)
 *          b9 ....             48 8d 15 ....                      ff 15 ....
 */
uint8_t *vtb_pads_call(uint8_t *stub, const uint8_t *end, uint32_t info);
#define VTB_PAD_STUB_LOOK 66u /* bytes of it that are looked at */

/** What a field of a site's entry in the table stands for. */
static inline void *vtb_pad_at(const int32_t *field)
{
	return (char *)field + *field;
}

/** Mode control: make the stub of an atomic operation, whose pad is on, a short one, if what comes of it is known
 * before it is made (pads_known.c). O(1). */
void vtb_pads_shorten(const struct vtb_pad_site *s);

/** The program's registers at a pad, as pads_entry.c puts them on the stack. */
struct vtb_pad_regs {
	uint64_t r11, r10, r9, r8;
	uint64_t flags; /* lahf in bits 8..15, overflow in bit 0 */
	uint64_t rsi, rdi, stub, rdx, rcx, rax;
	uint64_t red_zone[16];
	/* the program's stack pointer is the address behind this */
};

/** Thread t, which has entered, comes in at a pad, and goes out. */
static inline void vtb_pad_in(struct vtb_rt_thread *t, uint32_t info, const struct vtb_pad_regs *regs)
{
	t->base.in_pad++;
	t->base.in_vectors += !(info & VTB_PAD_NO_VECTORS);
	t->base.fp = ((uint64_t)regs - 16) | VTB_FP_PAD; /* the frame that pads_entry.c makes */
}

static inline void vtb_pad_out(struct vtb_rt_thread *t, uint32_t info)
{
	t->base.in_pad--;
	t->base.in_vectors -= !(info & VTB_PAD_NO_VECTORS);
}

static inline uint64_t vtb_pad_linear(uint64_t addr, uint32_t info)
{
	uint64_t fs = 0;

	if (VTB_UNLIKELY(info & VTB_PAD_FS))
		__asm__("movq %%fs:0, %0" : "=r"(fs)); /* x86-64 ABI: the thread pointer stands at its own address */
	return addr + fs;
}

/** The kind of event of an atomic operation. */
static inline unsigned vtb_pad_event(uint32_t info)
{
	const uint32_t kind = vtb_pad_kind(info);

	return kind == VTB_PAD_LOAD ? VTB_E_ATOMIC_LOAD : kind == VTB_PAD_STORE ? VTB_E_ATOMIC_STORE : VTB_E_ATOMIC_RMW;
}

/** A function that is called by name from assembler. */
#define VTB_FROM_ASSEMBLER __attribute__((visibility("hidden"), used))

/* entry points, in assembler */
void vtb_pads_enter(void);
void vtb_pads_enter_kept(void); /* in it: what near.c has kept is on the stack, down to r9 */
void vtb_pads_begin(void);
void vtb_pads_end(void);
void vtb_pads_load(void);
void vtb_pads_known(void);
extern const char vtb_pads_entry_end[] __attribute__((visibility("hidden")));

#endif /* VTB_RT_PADS_H */
