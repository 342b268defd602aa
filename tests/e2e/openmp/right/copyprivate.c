/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		int seed;

#pragma omp single copyprivate(seed)
		seed = 21;
		sum += seed;
	}
	printf("%d\n", sum);
	assert(sum == 42);
	return 0;
}
