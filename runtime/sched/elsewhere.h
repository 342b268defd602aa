/* SPDX-License-Identifier: BSD-2-Clause */
/** @file elsewhere.h Instructions of the program that are carried out elsewhere (hooks/blind_sites.c), as far as faults
 * are concerned. Set before main; NULL: there are none. */
#ifndef VTB_RT_ELSEWHERE_H
#define VTB_RT_ELSEWHERE_H

#include <stdbool.h>
#include <ucontext.h>

struct vtb_elsewhere {
	bool (*leads)(greg_t *g);      /* does this fault lead there? Then *g goes on there */
	void (*comes_from)(greg_t *g); /* the other way: a fault there is one of the instruction itself */
	void (*release)(void);         /* none may need an answer to its fault any more */
};
extern struct vtb_elsewhere vtb_elsewhere;

/** A process is about to be made, which may handle faults otherwise: answer none any more. */
void vtb_failure_answers_end(void);

#endif /* VTB_RT_ELSEWHERE_H */
