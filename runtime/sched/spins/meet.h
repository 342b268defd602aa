/* SPDX-License-Identifier: BSD-2-Clause */
/** @file meet.h Threads that go round and round, and let each other go on for a moment (meet.c). */
#ifndef VTB_RT_MEET_H
#define VTB_RT_MEET_H

#include <stdbool.h>

struct vtb_rt_thread;

/** t is held back no more. */
void vtb_fair_let_go(struct vtb_rt_thread *t);
/** Times that all threads spin at once; then chance says who goes on, or it is a livelock. */
#define VTB_SPIN_ROUNDS 100u
/** t is at a point. If all threads go round and round it may have to give way to others: to whom its change has let go
 * on
 * (`released`), as what it goes on to do would take the chance from them again; or by chance, to whoever can go on, too
 * (`others`). */
void vtb_meet(struct vtb_rt_thread *t, bool released, bool others);
/** Nobody can go on: who has given way to others goes on after all. False if there is none. */
bool vtb_meet_turn_back(void);
/** All spin again: may chance still bring what the last rounds have not? */
bool vtb_meet_chance(void);

#endif /* VTB_RT_MEET_H */
