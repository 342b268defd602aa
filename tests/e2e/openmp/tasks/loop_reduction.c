/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

/* Tasks of a loop reduce. */
int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp for reduction(task, + : sum)
		for (int i = 1; i <= 2; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
			sum += i;
		}
	}
	printf("%d\n", sum);
	assert(sum == 3);
	return 0;
}
