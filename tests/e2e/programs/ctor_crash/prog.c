/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Crashes before main. */
#include <pthread.h>
#include <stdlib.h>

__attribute__((constructor)) static void crash(void)
{
	abort();
}

int main(void)
{
	return 0;
}
