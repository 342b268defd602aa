/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same operations, whatever number stands in the file; only what is written is another value. */
#include <pthread.h>
#include <stdio.h>

static int sum, number;

static void *add(void *unused)
{
	(void)unused;
	sum += number;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	FILE *f = fopen(argc > 1 ? argv[1] : "number", "r");

	if (!f || fscanf(f, "%d", &number) != 1)
		return 1;
	fclose(f);
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
