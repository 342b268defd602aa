/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parallel loop without a reduction. */
#include <assert.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for num_threads(2)
	for (int i = 1; i <= 2; i++)
		sum = sum + i;
	assert(sum == 3);
	return 0;
}
