/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file pack_facts.h What a machine is, as far as a replay may notice: one row each. */
#ifndef VTB_PACK_FACTS_H
#define VTB_PACK_FACTS_H

#include <stddef.h>

struct vtb_pack_fact {
	const char *name; /* in the bundle */
	const char *text; /* in sentences */
	void (*read)(char *buf, size_t size);
};
extern const struct vtb_pack_fact vtb_pack_facts[];
extern const size_t vtb_n_pack_facts;

/** Variables that change what programs do, and are compared. NULL ends it. */
extern const char *const vtb_pack_variables[];

#endif /* VTB_PACK_FACTS_H */
