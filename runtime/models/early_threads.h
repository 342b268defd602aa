/* SPDX-License-Identifier: BSD-2-Clause */
/** @file early_threads.h Threads that the program makes before main: they begin, under control, when main does. */
#ifndef VTB_RT_EARLY_THREADS_H
#define VTB_RT_EARLY_THREADS_H

#include "rt.h"

/** How many there are. */
uint32_t vtb_early_count(void);
/** Another one, whose handle is known already. False: there is no memory. */
bool vtb_early_note(pthread_t handle, void *(*start)(void *), void *arg, uint64_t pc);
/** It is to be detached. False: it is none of them. */
bool vtb_early_detach(pthread_t handle);
/** One of them runs already, out of control: a run is refused. */
void vtb_early_escapes(void);
/** Main begins: make them, in order. Each takes the next fiber of the pool, whose handle it has. */
void vtb_early_begin(struct vtb_rt_thread *main);

#endif /* VTB_RT_EARLY_THREADS_H */
