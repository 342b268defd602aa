/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared anonymous mapping made in the run: undone with the run's other mappings. */
#include <sys/mman.h>

#include "common.h"

static int *cell;

static void first(void)
{
	cell = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*cell += 1;
}

static void second(void)
{
}

static int good(void)
{
	return *cell == 1;
}
