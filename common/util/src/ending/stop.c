/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

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

#define LOOK_SECONDS 0.05 /* between looks at what the process holds */

/* The number in the first line of a file in /proc that this format fits. */
static uint64_t number_in(const char *path, const char *format)
{
	FILE *file = fopen(path, "re");
	char line[200];
	uint64_t number = 0;

	while (file && fgets(line, sizeof(line), file) && sscanf(line, format, &number) != 1)
		;
	if (file)
		fclose(file);
	return number;
}

uint64_t vtb_stop_memory_free(void)
{
	return number_in("/proc/meminfo", "MemAvailable: %" SCNu64) * 1024;
}

static bool is_full(struct vtb_stop *stop)
{
	const double now = stop->memory && stop->full_at == 0 ? vtb_stop_clock() : 0;

	if (now > 0 && now - stop->looked_at >= LOOK_SECONDS) {
		stop->looked_at = now;
		if (number_in("/proc/self/statm", "%*u %" SCNu64) * (uint64_t)sysconf(_SC_PAGESIZE) > stop->memory)
			stop->full_at = now;
	}
	return stop->full_at > 0;
}

/* The earliest of the three; infinite: there is none. */
static double moment(struct vtb_stop *stop)
{
	double first = stop->deadline > 0 ? stop->deadline : HUGE_VAL;

	if (vtb_stop_interrupted(stop) && stop->interrupted_at < first)
		first = stop->interrupted_at;
	return is_full(stop) && stop->full_at < first ? stop->full_at : first;
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
