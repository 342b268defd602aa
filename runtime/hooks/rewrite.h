/* SPDX-License-Identifier: BSD-2-Clause */
/** @file rewrite.h The program's calls of hooks, led past the linkage table or taken out (rewrite.c). */
#ifndef VTB_RT_REWRITE_H
#define VTB_RT_REWRITE_H

#include "base.h"

/** Before main: take over the sites that the block names. What cannot be taken over stays as it is. O(sites). */
void vtb_rt_rewrite(enum vtb_wire_mode mode);
/** Between runs: make sites call or not as the block now says. O(1) if nothing has changed, else O(sites). */
void vtb_rt_rewrite_again(void);

/** The program's own file in memory: what is added to its addresses; its code. */
struct vtb_rt_program {
	uint64_t bias, lo, hi;
};
const struct vtb_rt_program *vtb_rt_program(void);
/** So many bytes that calls and jumps of its code reach, a whole number of pages, to be read and written; NULL: there
 * is no room. */
char *vtb_rt_room_near(uint64_t size);
/** Its code can be written to, or no longer. False: the system does not allow it. */
bool vtb_rt_program_writable(bool yes);

/** The info word of the pad with this number in the block. */
uint32_t vtb_rt_site_info(uint32_t site);

/** The hook of each VTB_SITE_HOOK() (instr.c); NULL where there is none. */
void vtb_rt_hooks_by_site(void *ret[VTB_SITE_HOOKS]);

/* ---- blind_sites.c: instructions that no hook of the compiler tells of */
/** Before main, in mode control: give those that the block names a hook. What is not as the tool has seen it stays as
 * it is. O(sites). */
void vtb_blind_hook(void);

/* ---- breakpoints.c: tier break */
void vtb_breaks_install(void);

#endif /* VTB_RT_REWRITE_H */
