/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file owned_sites.h
 * Where the program makes accesses, as far as it matters whether these are passed over (owned.h).
 *
 *     a call of a hook in the program's file, a pad    its site
 *     all others: memcpy, strings of libvtb-cxx.so, free(), hooks of libraries, jumps    a *place*, by a hash
 *
 * Places are sites, too, the last VTB_SITE_PLACES of them: two calls may share one. They are the same in each process.
 */
#ifndef VTB_RT_OWNED_SITES_H
#define VTB_RT_OWNED_SITES_H

#include "base.h"

/** The n sites whose calls end at bias + addr + length, and behind them, if so, all places. Once a process. */
void vtb_owned_take_sites(struct vtb_wire_site *sites, uint64_t n, bool places, uint64_t bias);
/** Have there been any? */
bool vtb_owned_has_sites(void);
/** The site of the call that ends at pc, + 1; 0: what is accessed there is told. O(1), at first O(modules). */
uint32_t vtb_owned_site(uint64_t pc);
/** Is what this site (+ 1) touches of 8 bytes told apart from the rest of them? */
bool vtb_owned_is_fine(uint32_t site);
/** What is accessed there (+ 1) is another thread's, too; `part`: or lies in the same 8 bytes as that. */
void vtb_owned_met(uint32_t site, bool part);

#endif /* VTB_RT_OWNED_SITES_H */
