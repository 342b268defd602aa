/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int prefix = 0, at[4];

#pragma omp parallel for num_threads(2) reduction(inscan, + : prefix)
	for (int i = 0; i < 4; i++) {
		prefix += i;
#pragma omp scan inclusive(prefix)
		at[i] = prefix;
	}
	printf("%d %d\n", prefix, at[2]);
	assert(prefix == 6 && at[2] == 3);
	return 0;
}
