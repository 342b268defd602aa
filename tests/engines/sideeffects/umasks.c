/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes the mask of new files' permissions. */
#include <sys/stat.h>

#include "common.h"

static mode_t before;

static void first(void)
{
	before = umask(0137);
}

static void second(void)
{
}

static int good(void)
{
	return before != 0137;
}
