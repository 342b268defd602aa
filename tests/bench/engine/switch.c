/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two contexts that hand over to each other by the runtime's own switch: ns each, the fastest of some rounds. */
#include <stdio.h>
#include <time.h>

#include "fiber.h"

#define SWITCHES 1000000

static void *here, *there;
static char stack[65536];
static uint64_t fs;

static void partner(void)
{
	for (;;)
		vtb_fiber_switch(&there, here, fs);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	static struct vtb_wire_header header;
	double best = 1e18;

	vtb_rt.block = &header;
	vtb_fiber_look(true);
	fs = vtb_fiber_fs();
	there = vtb_fiber_context(stack + sizeof(stack), partner);
	for (int round = 0; round < 10; round++) {
		const double start = now();

		for (int i = 0; i < SWITCHES / 2; i++)
			vtb_fiber_switch(&here, there, fs);
		if ((now() - start) / SWITCHES < best)
			best = (now() - start) / SWITCHES;
	}
	printf("fiber switch\t%.1f\tns\t<= 30\n", best);
	return 0;
}
