/* SPDX-License-Identifier: GPL-2.0-or-later */
/* n threads insert four keys each into a table of 128 by compare-and-swap; from 12 threads on some keys collide. */
#include "yardstick.h"

#define SIZE 128
#define EACH 4

static atomic_int table[SIZE];

static void *insert(void *arg)
{
	for (int k = 0; k < EACH; k++) {
		const int key = (k + 1) * 11 + me(arg);
		int free = 0, at = key * 7 % SIZE;

		while (!atomic_compare_exchange_strong(&table[at], &free, key)) {
			at = (at + 1) % SIZE;
			assert(at >= 0 && at < SIZE);
			free = 0;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	run_all(number(argc, argv), insert);
	return 0;
}
