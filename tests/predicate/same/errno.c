/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only errno tells what text held. */
#include "two.h"

#include <errno.h>

static char text[32] = "9";

static void one(void)
{
	for (int i = 0; i < 24; i++)
		text[i] = '9';
}

static void two(void)
{
	text[1] = 0;
}

int main(void)
{
	both();
	errno = 0;
	strtol(text, NULL, 10);
	assert(errno != ERANGE);
	return 0;
}
