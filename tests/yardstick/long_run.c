/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads do n thousand atomic operations each, of which only the last ones meet. */
#include "yardstick.h"

static atomic_int own[2], common;
static int times;

static void *run(void *arg)
{
	const int n = 1000 * times;

	for (int k = 0; k < n; k++)
		atomic_fetch_add(&own[me(arg)], 1);
	atomic_fetch_add(&common, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	times = number(argc, argv);
	run_all(2, run);
	return 0;
}
