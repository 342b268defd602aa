/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leagues of teams and devices. There is no device but the host: what is for another runs here, as with a libgomp that
 * finds none, by a thread that is in no team.
 */
#include <string.h>

#include "omp.h"

/* ---- leagues: one team after the other */

OMP_OWN static void league_is(unsigned teams, unsigned number)
{
	omp_place()->leagues = teams;
	omp_place()->league = number;
}

OMP_OWN static unsigned teams_asked(unsigned asked)
{
	if (asked)
		return asked;
	return omp_max_teams ? (unsigned)omp_max_teams : 3; /* as libgomp */
}

OMP_OWN static void limit_threads(struct omp_control *c, unsigned limit)
{
	if (!limit)
		limit = (unsigned)omp_teams_limit;
	if (limit)
		c->thread_limit = limit;
}

OMP_EXPORT void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags);
OMP_EXPORT void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags)
{
	struct omp_control *c = omp_control(), kept = *c;

	(void)flags;
	teams = teams_asked(teams);
	limit_threads(c, limit);
	for (unsigned i = 0; i < teams; i++) {
		league_is(teams, i);
		omp_call(fn, data);
	}
	league_is(0, 0);
	c->thread_limit = kept.thread_limit;
}

OMP_EXPORT OMP_OWN bool GOMP_teams4(unsigned least, unsigned most, unsigned limit, bool first);
OMP_EXPORT OMP_OWN bool GOMP_teams4(unsigned least, unsigned most, unsigned limit, bool first)
{
	struct omp_place *p = omp_place();

	(void)least;
	if (first) {
		if (limit)
			omp_control()->thread_limit = limit;
		league_is(most ? most : teams_asked(0), 0);
		return true;
	}
	if (p->league + 1 >= p->leagues)
		return false;
	p->league++;
	return true;
}

#define ASK(type, name, value)              \
	OMP_EXPORT OMP_OWN type name(void); \
	OMP_EXPORT OMP_OWN type name(void)  \
	{                                   \
		return value;               \
	}
ASK(int, omp_get_num_teams, omp_place()->leagues ? (int)omp_place()->leagues : 1)
ASK(int, omp_get_team_num, (int)omp_place()->league)
ASK(int, omp_get_max_teams, omp_max_teams)
ASK(int, omp_get_teams_thread_limit, omp_teams_limit)
ASK(int, omp_get_default_device, omp_control()->device)
ASK(int, omp_get_num_devices, 0)
ASK(int, omp_get_initial_device, 0)
ASK(int, omp_get_device_num, 0)
ASK(int, omp_is_initial_device, 1)

#define SAY(name, statement)                     \
	OMP_EXPORT OMP_OWN void name(int value); \
	OMP_EXPORT OMP_OWN void name(int value)  \
	{                                        \
		statement;                       \
	}
SAY(omp_set_num_teams, if (value >= 0) omp_max_teams = value)
SAY(omp_set_teams_thread_limit, if (value >= 0) omp_teams_limit = value)
SAY(omp_set_default_device, omp_control()->device = value >= 0 ? value : 0)
