/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread is doing is told after the thread has cleared it. */
#include "../two.h"

static const char text[] = "sending data";
static const char *info = text;

static void *finish(void *arg)
{
	info = NULL;
	return arg;
}

static void *show(void *arg)
{
	const char *now = info;

	assert(now);
	return arg;
}

int main(void)
{
	together(finish, show, NULL);
	return 0;
}
