/* SPDX-License-Identifier: GPL-2.0-or-later */
/* n writers of one variable, and a reader: beside them, or (any second argument) main after it has joined them. */
#include "yardstick.h"

static atomic_int x;
static int n;

static void *run(void *arg)
{
	if (me(arg) < n)
		atomic_store(&x, me(arg) + 1);
	else
		(void)atomic_load(&x);
	return NULL;
}

int main(int argc, char **argv)
{
	n = number(argc, argv);
	run_all(n + (argc <= 2), run);
	if (argc > 2)
		(void)atomic_load(&x);
	return 0;
}
