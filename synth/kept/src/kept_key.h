/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file kept_key.h  By what a run is found again: all of a schedule that says how the run goes, in names that mean the
 * same in every process. */
#ifndef VTB_KEPT_KEY_H
#define VTB_KEPT_KEY_H

#include "kept_bytes.h"
#include "vtb/hash.h"
#include "vtb/schedule.h"

/* `scratch` keeps its memory. False: no memory. */
bool kept_key(const struct vtb_schedule *s, const struct vtb_symtab *tab, uint64_t manner, struct kept_out *scratch,
              struct vtb_hash128 *ret);
/* Of a place in the program. */
uint64_t kept_key_site(const struct vtb_symtab *tab, uint32_t site);

#endif /* VTB_KEPT_KEY_H */
