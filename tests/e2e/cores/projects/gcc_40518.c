/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream is written to while another thread closes it. */
#include "../two.h"

static int is_open = 1, lost;

static void *print(void *arg)
{
	if (is_open && !is_open)
		lost = 1;
	return arg;
}

static void *close_(void *arg)
{
	is_open = 0;
	return arg;
}

int main(void)
{
	together(print, close_, NULL);
	assert(!lost);
	return 0;
}
