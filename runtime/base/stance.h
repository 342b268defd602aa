/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stance.h Where a thread stands in the program, for fingerprints of its state: struct vtb_view of rt.h. */
#ifndef VTB_RT_STANCE_H
#define VTB_RT_STANCE_H

#include "rt.h"
#include "state_hash.h"

/** t is at `call`: where its registers are to be noted. */
struct vtb_view *vtb_stance_of(struct vtb_rt_thread *t, const struct vtb_call *call);
/** Clear the dead part of the stack in which the runtime's next frames will lie. */
void vtb_stance_wipe(void);
/** Note the registers that a call keeps, and where the caller's frame is. */
void vtb_stance_note(struct vtb_view *view) __attribute__((visibility("hidden")));
/** t's operation is done: clear what the runtime has left on the stack, and vector registers, if the program does not
 * count on them. */
void vtb_stance_done(const struct vtb_rt_thread *t, const struct vtb_call *call);
/** Add t's registers and stack, as noted when it arrived. O(bytes of stack in use). */
void vtb_stance_add(struct vtb_state_hash *sum, const struct vtb_rt_thread *t, uint64_t seed);

/** t arrives at `call`: note where its stack begins and its registers, here, in the caller's frame. */
static inline __attribute__((always_inline)) void vtb_stance_arrive(struct vtb_rt_thread *t,
                                                                    const struct vtb_call *call)
{
	struct vtb_view *view = vtb_stance_of(t, call);

	vtb_stance_wipe();
	vtb_stance_note(view);
}

#endif /* VTB_RT_STANCE_H */
