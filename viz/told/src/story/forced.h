/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file forced.h
 * Orders that creation, join and barriers force, whatever the schedule. A story asks for those of thousands of pairs of
 * one run, and few of its operations force any: they are looked for once. Ownership: vtb_forced_fini().
 */
#ifndef VTB_FORCED_H
#define VTB_FORCED_H

#include "vtb/exec.h"
#include "vtb/symtab.h"

struct vtb_forced {
	const struct vtb_exec *x;
	const struct vtb_symtab *tab;
	uint32_t *at;    /* those operations; NULL: no memory, and nothing is forced */
	uint32_t *other; /* whom each of them makes or waits for */
	size_t n;
	bool *reached; /* a thread each */
};

/** O(events * threads that are made). */
void vtb_forced_init(struct vtb_forced *f, const struct vtb_exec *x, const struct vtb_symtab *tab);
void vtb_forced_fini(struct vtb_forced *f);
/** Must event a come before event b? Of one thread the earlier one does. O(operations that force an order + threads).
 */
bool vtb_forced_is(struct vtb_forced *f, size_t a, size_t b);

#endif /* VTB_FORCED_H */
