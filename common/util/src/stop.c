/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/stop.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <time.h>

double vtb_stop_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_set(const volatile sig_atomic_t *flag)
{
	return flag && *flag;
}

bool vtb_stop_interrupted(struct vtb_stop *stop)
{
	if (!stop || (!is_set(stop->interrupted) && !is_set(stop->aborted)))
		return false;
	if (stop->interrupted_at == 0)
		stop->interrupted_at = vtb_stop_clock();
	return true;
}

/* The earlier of the two; infinite: there is none. */
static double moment(struct vtb_stop *stop)
{
	const double deadline = stop->deadline > 0 ? stop->deadline : HUGE_VAL;

	return vtb_stop_interrupted(stop) && stop->interrupted_at < deadline ? stop->interrupted_at : deadline;
}

bool vtb_stop_due(struct vtb_stop *stop)
{
	return stop && vtb_stop_clock() >= moment(stop);
}

int vtb_stop_check(struct vtb_stop *stop, bool running)
{
	const double more = stop && stop->proving ? VTB_STOP_PROOF : running ? VTB_STOP_GRACE : 0;

	if (!stop)
		return 0;
	if (is_set(stop->aborted))
		return -EINTR;
	return vtb_stop_clock() >= moment(stop) + more ? -ECANCELED : 0;
}
