/* SPDX-License-Identifier: GPL-2.0-or-later */
/* n readers and one writer of one variable. */
#include "yardstick.h"

static atomic_int x;

static void *run(void *arg)
{
	if (me(arg) == 0)
		atomic_store(&x, 1);
	else
		(void)atomic_load(&x);
	return NULL;
}

int main(int argc, char **argv)
{
	run_all(number(argc, argv) + 1, run);
	return 0;
}
