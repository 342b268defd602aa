/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interrupt comes before the rings are there. */
#include "../two.h"

static int rings[2];
static int *ring;

static void *open_device(void *arg)
{
	rings[0] = 1;
	ring = rings;
	return arg;
}

static void *interrupt(void *arg)
{
	assert(ring);
	ring[1]++;
	return arg;
}

int main(void)
{
	together(open_device, interrupt, NULL);
	return 0;
}
