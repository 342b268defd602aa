/* SPDX-License-Identifier: BSD-2-Clause */
/** @file survey.h Threads that go round for ever by the policy: is there any other way (survey.c)? */
#ifndef VTB_RT_SURVEY_H
#define VTB_RT_SURVEY_H

#include "laps.h"

struct vtb_survey_table;
struct vtb_wire_deviation;

struct vtb_survey {
	bool on;
	uint32_t times;             /* so many in this run */
	struct vtb_rt_thread *turn; /* the one that is not held back */
	struct vtb_survey_table *table;
	uint32_t n;         /* states met */
	uint32_t words;     /* that make up one */
	uint32_t fresh;     /* in a row that were new, */
	uint32_t same;      /* that were not */
	uint32_t overflows; /* times that there were too many */
	uint32_t from, way; /* where it was before, and how it left: what that leads to is seen at the next point */
};

/** At t's point, if laps.on or laps.due: does the process come round to a state that it has been in, by the policy
 * alone? Then exactly one thread may go on, to try another way, until it is over. d: the deviation that the schedule
 * has here (NULL: none); it is over where that leads elsewhere. May end the run. */
void vtb_survey_look(struct vtb_rt_thread *t, const struct vtb_wire_deviation *d);

#endif /* VTB_RT_SURVEY_H */
