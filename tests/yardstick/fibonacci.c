/* SPDX-License-Identifier: GPL-2.0-or-later */
/* i += j against j += i, a number of times; main reads i, then j, while they run or (second argument) after them. */
#include "yardstick.h"

static atomic_int i = 1, j = 1;
static int times;

static void *add(void *arg)
{
	atomic_int *to = me(arg) ? &j : &i, *from = me(arg) ? &i : &j;
	const int n = times;

	for (int k = 0; k < n; k++)
		atomic_store(to, atomic_load(to) + atomic_load(from));
	return NULL;
}

static void look(void)
{
	(void)atomic_load(&i);
	(void)atomic_load(&j);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	times = number(argc, argv);
	start(&threads[0], add, 0);
	start(&threads[1], add, 1);
	if (argc < 3)
		look();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (argc > 2)
		look();
	return 0;
}
