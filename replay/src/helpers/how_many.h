/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many helpers take part (helpers.c)? More processes are no faster where the search takes longer than the runs, or
 * where there are more of them than processors. What is fastest is tried: in turns of some milliseconds, as many as
 * before against more or fewer, until one of both was faster three times oftener than the other (a fifth faster counts
 * twice, and who is slower by half is not tried any longer).
 *
 *     settled      | trial, in turns       | settled, for longer and longer ...   | trial ...
 *     1 helper     | 0 1  1 0  0 1  1 0    | 1 helper
 *
 * A further helper is tried only if we wait for runs; all of them take part at once where we do nothing else.
 *
 * Results do not depend on it.
 */
#ifndef VTB_HOW_MANY_H
#define VTB_HOW_MANY_H

#include <stdbool.h>
#include <stdint.h>

struct how_many {
	uint32_t most;
	uint32_t now;                  /* take part */
	uint32_t settled;              /* is thought to be best */
	uint32_t other;                /* is tried; as `settled`: none */
	bool up;                       /* whether more or fewer were tried last */
	bool jumped;                   /* from none to all */
	uint32_t turn;                 /* of the trial */
	int32_t lead;                  /* how much oftener `other` was the faster of a pair */
	double pair[2];                /* runs a nsec of `settled` and `other` in this pair of turns */
	uint64_t pause;                /* nsec between trials */
	uint64_t spent;                /* nsec in this trial */
	uint64_t rest;                 /* nsec until the next one */
	uint64_t took, runs, waited;   /* nsec, runs, nsec: of this turn, so far */
	uint64_t all_took, all_waited; /* before the first trial */
};

/** At most `most`; none to begin with. */
void how_many_init(struct how_many *h, uint32_t most);
/** What was done while h->now took part: `took` nsec for so many runs, of which we `waited` so many nsec for one. May
 * change h->now. */
void how_many_note(struct how_many *h, uint64_t took, uint64_t runs, uint64_t waited);

#endif /* VTB_HOW_MANY_H */
