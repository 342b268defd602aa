/* SPDX-License-Identifier: GPL-2.0-or-later */
/* n writers: each element becomes the one before it plus one. A searcher looks for the last zero, from the end. */
#include "yardstick.h"

static atomic_int array[MOST + 1];
static int n;

static void search(void)
{
	int i = n;

	while (atomic_load(&array[i]) != 0)
		i--;
}

static void *run(void *arg)
{
	const int i = me(arg);

	if (i == 0)
		search();
	else
		atomic_store(&array[i], atomic_load(&array[i - 1]) + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	n = number(argc, argv);
	run_all(n + 1, run);
	return 0;
}
