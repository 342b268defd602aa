/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table is sealed while the other thread still writes to it: that write leaves nothing, so no value of it is told. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static long *table;

static void *seal(void *arg)
{
	mprotect(table, 4096, PROT_READ);
	return arg;
}

int main(void)
{
	pthread_t thread;

	table = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		return 77;
	table[1] = 4711;
	pthread_create(&thread, NULL, seal, NULL);
	table[1] = 4712;
	pthread_join(thread, NULL);
	return 0;
}
