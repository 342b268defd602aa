/* SPDX-License-Identifier: GPL-2.0-or-later */
/* N threads set two variables one after the other; one checks that both are set or none. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static volatile int a, b;
static void *setter(void *x) { a = 1; b = -1; return x; }
static void *checker(void *x) { assert((a == 0 && b == 0) || (a == 1 && b == -1)); return x; }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t t[129];
	for (int i = 0; i < n; i++) pthread_create(&t[i], NULL, setter, NULL);
	pthread_create(&t[n], NULL, checker, NULL);
	for (int i = 0; i <= n; i++) pthread_join(t[i], NULL);
	return 0;
}
