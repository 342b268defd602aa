/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file blind_site.h An instruction as the runtime needs it to give it a hook (vtb/wire.h, struct vtb_wire_blind). */
#ifndef VTB_BLIND_SITE_H
#define VTB_BLIND_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/disasm.h"
#include "vtb/wire.h"

struct blind_sites {
	struct vtb_wire_blind *items;
	size_t n_items, cap_items;
};

/** Append the instruction at `code`, of which `size` bytes are at hand (NULL: none), at this address in the file. 1; 0:
 * it touches more than one place or none that its operand shows, or it cannot be carried out elsewhere; or -ENOMEM. */
int blind_sites_add(struct blind_sites *sites, struct vtb_disasm *disasm, const uint8_t *code, size_t size,
                    uint64_t addr);
int blind_sites_append(struct blind_sites *to, const struct blind_sites *more); /* 0 or -ENOMEM */
/** Is one of them atomic, from this one on? */
bool blind_sites_atomic(const struct blind_sites *sites, size_t first);
/** Sort them, each once. None is left if they are more than a block has room for, or if one begins within another. */
void blind_sites_settle(struct blind_sites *sites);

#endif /* VTB_BLIND_SITE_H */
