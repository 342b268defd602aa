/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alarm() says how long the one before it had left: none in a process of its own. */
#include "common.h"

static unsigned left = 99;

static void first(void)
{
	left = alarm(1000);
}

static void second(void)
{
}

static int good(void)
{
	return left == 0;
}
