/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file near.h
 * The fast way of fast.h once more, as code that can be copied to within reach of the program's own, so that a call of
 * a hook gets there without the procedure linkage table. It knows the stretch of the calling thread and nothing else;
 * whatever is not for the fast way goes on to the hook itself (instr.c), from the same place of the program.
 */
#ifndef VTB_RT_NEAR_H
#define VTB_RT_NEAR_H

#include "base.h"

/** The code as it was linked, [begin, end); its first words are filled in in a copy. */
extern const char vtb_near_begin[] __attribute__((visibility("hidden")));
extern const char vtb_near_end[] __attribute__((visibility("hidden")));

/** First bytes of the code. */
struct vtb_near_words {
	void *slow[VTB_SITE_HOOKS]; /* the hooks themselves, by VTB_SITE_HOOK() */
	void *pad;                  /* the way of all other pads: vtb_pads_enter_kept */
	uint64_t *cells;            /* sched/stretches/owned.h */
	struct vtb_owned_others *others;
};

/** Where in the code instructions load vtb_self, counted from its beginning: four bytes each. */
extern const uint32_t vtb_near_selves[] __attribute__((visibility("hidden")));
extern const uint32_t vtb_near_selves_end[] __attribute__((visibility("hidden")));
/** Make these in the copy load vtb_self, which lies so far from the thread pointer. */
void vtb_near_fill(char *copy, int32_t self);

enum vtb_near_site {
	VTB_NEAR_FAR,    /* it has no thunk */
	VTB_NEAR_NUMBER, /* it comes by a thunk, with its number */
	VTB_NEAR_OWNED,  /* likewise, and its accesses may be passed over; mode control */
	VTB_NEAR_FINE,   /* likewise, those that change nothing here, the others by the hook */
};
/** Where the code for a hook lies, counted from its beginning; 0: there is none. */
uint32_t vtb_near_entry(enum vtb_wire_mode mode, unsigned hook, enum vtb_near_site site);

/** Likewise for a pad, by VTB_SITE_HOOK() of its access. */
uint32_t vtb_near_pad_entry(enum vtb_wire_mode mode, unsigned access);

#define VTB_NEAR_THUNK 16u
/** Write the thunk of a site, which goes to `entry` near it. Where it is written is where it will run. */
void vtb_near_thunk(uint8_t at[VTB_NEAR_THUNK], uint32_t site, const void *entry);

#endif /* VTB_RT_NEAR_H */
