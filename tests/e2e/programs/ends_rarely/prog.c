/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In some orders a thread never ends, and nothing that it does can be seen. */
#include <pthread.h>
static volatile int flag;
static void *set(void *a) { flag = 1; return a; }
static void *look(void *a)
{
	int before = flag, after = flag;

	if (before != after)
		for (;;)
			__asm__ volatile("");
	return a;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, i & 1 ? look : set, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
