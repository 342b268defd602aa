/* SPDX-License-Identifier: GPL-2.0-or-later */
/* At -O2 run() jumps on the spot for ever, after it has let main go on, who ends the program. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int up;
static int go;
static void *run(void *arg)
{
	atomic_fetch_add(&up, 1);
	while (!go)
		;
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	while (!atomic_load(&up))
		;
	exit(0);
}
