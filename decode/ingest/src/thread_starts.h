/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file thread_starts.h
 * What threads run, for their names. A thread that starts in a library (std::thread) is better known by the first
 * function of the program that it is seen in.
 */
#ifndef VTB_DECODE_THREAD_STARTS_H
#define VTB_DECODE_THREAD_STARTS_H

#include "vtb/trace.h"

struct thread_starts {
	struct vtb_symtab *tab; /* borrowed */
	uint32_t *starts;       /* by thread: its first site in the program's own code, or VTB_NONE */
	size_t n_starts, cap_starts;
};

/** Note where a thread is, if it was not yet seen in the program's own code. 0 or -ENOMEM. */
int thread_starts_note(struct thread_starts *s, const struct vtb_event *e);
/** Give the threads that have no name yet the one of their first function. 0 or -ENOMEM. */
int thread_starts_name(const struct thread_starts *s);
void thread_starts_fini(struct thread_starts *s);

#endif /* VTB_DECODE_THREAD_STARTS_H */
