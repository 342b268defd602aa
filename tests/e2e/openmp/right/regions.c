/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int sum = 0;

	for (int n = 1; n <= 3; n++) {
#pragma omp parallel num_threads(n)
		{
#pragma omp critical
			sum += omp_get_num_threads();
		}
	}
	printf("%d\n", sum);
	assert(sum == 14);
	return 0;
}
