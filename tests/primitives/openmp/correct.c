/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parallel loop with a reduction. */
#include <assert.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (int i = 1; i <= 4; i++)
		sum += i;
	assert(sum == 10);
	return 0;
}
