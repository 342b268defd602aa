/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file near.h
 * The fast way of fast.h once more, as code that can be copied to within reach of the program's own, so that a call of a hook gets there
 * without the procedure linkage table. It knows the stretch of the calling thread and nothing else; whatever is not for the fast
 * way goes on to the hook itself (instr.c), from the same place of the program.
 */
#ifndef VTB_RT_NEAR_H
#define VTB_RT_NEAR_H

#include "rt.h"

/** The code as it was linked, [begin, end); its first words are filled in in a copy. */
extern const char vtb_near_begin[] __attribute__((visibility("hidden")));
extern const char vtb_near_end[] __attribute__((visibility("hidden")));

/** First bytes of the code. */
struct vtb_near_words {
	int64_t self;   /* vtb_self, counted from the thread pointer */
	void *slow[VTB_SITE_HOOKS]; /* the hooks themselves, by VTB_SITE_HOOK() */
};

/** Where the code for a hook lies, counted from its beginning; 0: there is none. */
uint32_t vtb_near_entry(enum vtb_wire_mode mode, unsigned hook);

#endif /* VTB_RT_NEAR_H */
