/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stance.h Where a thread stands in the program, for fingerprints of its state: struct vtb_view of rt.h; its
 * vector registers. */
#ifndef VTB_RT_STANCE_H
#define VTB_RT_STANCE_H

#include "rt.h"
#include "state_hash.h"

/** t is at `call`: where its registers are to be noted. */
struct vtb_view *vtb_stance_of(struct vtb_rt_thread *t, const struct vtb_call *call);
/** Clear the dead part of the stack in which the runtime's next frames will lie. */
void vtb_stance_wipe(void);
/** The same where a function returns, and nothing in vector registers counts: in a third of the time. */
void vtb_stance_wipe_in_function(void);
/** Note the registers that a call keeps, and where the caller's frame is. */
void vtb_stance_note(struct vtb_view *view) __attribute__((visibility("hidden")));
/** t's operation is done: clear what the runtime has left on the stack, and vector registers, if the program does not
 * count on them. */
void vtb_stance_done(const struct vtb_rt_thread *t, const struct vtb_call *call);
/** What a call of the runtime by thread t ends with: where fingerprints are made, nothing of it stays behind on the
 * stack, where the next one's frames will lie. */
#define VTB_RETURN(t, r)                                \
	do {                                            \
		__typeof__(r) returned_ = (r);          \
		if (VTB_UNLIKELY((t)->base.noted))      \
			vtb_stance_wipe_in_function();  \
		__asm__ volatile("" : "+r"(returned_)); \
		return returned_;                       \
	} while (0)
/** t keeps another value for a key of pthread_setspecific(): part of where it stands, since libc keeps it where other
 * things change, too. */
void vtb_stance_specific(struct vtb_rt_thread *t, uint64_t key, const void *before, const void *value);
/** Add t's registers and stack, as noted when it arrived. O(bytes of stack in use). */
void vtb_stance_add(struct vtb_state_hash *sum, const struct vtb_rt_thread *t, uint64_t seed);

/** Where a thread stood when it arrived somewhere, to be compared with where it stands later. */
struct vtb_stood;
/** Note where t stands, as noted when it arrived, in `old`'s memory if that will do (NULL: none): of its stack what its
 * functions have there. NULL: no memory. O(bytes of stack in use). */
struct vtb_stood *vtb_stance_keep(struct vtb_stood *old, const struct vtb_rt_thread *t);
/** Does t stand there again? O(bytes of stack in use) if so. */
bool vtb_stance_is(const struct vtb_stood *stood, const struct vtb_rt_thread *t);
/** Its fingerprint. */
struct vtb_state_hash vtb_stance_print(const struct vtb_stood *stood, uint64_t seed);

/** t arrives at `call`: note where its stack begins and its registers, here, in the caller's frame. */
static inline __attribute__((always_inline)) void vtb_stance_arrive(struct vtb_rt_thread *t,
                                                                    const struct vtb_call *call)
{
	vtb_stance_note(vtb_stance_of(t, call));
}

/* ---- vectors.c: the program's vector registers at a pad, while another thread runs on the same kernel thread */
/** Find out what this processor has. Until then nothing is kept. */
void vtb_vectors_find(void);
/** Room in bytes for the vector and x87 registers, 64-byte aligned; 0 before vtb_vectors_find(). */
extern uint32_t vtb_vectors_bytes;
/** Keep them there and take them back. Only registers that Linux lets programs use without asking (up to AVX-512). */
void vtb_vectors_keep(void *room);
void vtb_vectors_take_back(const void *room);
/** As vtb_vectors_keep(), for looking at: equal registers give equal bytes but for what stance.c leaves out. */
void vtb_vectors_keep_all(void *room);
/** Where a function returns, nothing in vector registers counts: clear `size` bytes with them, a multiple of four
 * vectors, aligned to one. */
#define VTB_VECTOR 32u
void vtb_vectors_zero(void *at, size_t size);
/** Likewise: clear them. Does nothing before vtb_vectors_find(). */
void vtb_vectors_clear(void);

#endif /* VTB_RT_STANCE_H */
