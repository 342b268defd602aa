/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Works in another directory than the one it was started in. */
#include <string.h>

#include "common.h"

static char before[4096];

static void first(void)
{
	if (!getcwd(before, sizeof(before)) || chdir("/usr"))
		abort();
}

static void second(void)
{
}

static int good(void)
{
	return strcmp(before, "/usr") != 0;
}
