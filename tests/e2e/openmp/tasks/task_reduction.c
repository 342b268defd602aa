/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
	for (int i = 1; i <= 2; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
		sum += i;
	}
	printf("%d\n", sum);
	assert(sum == 3);
	return 0;
}
