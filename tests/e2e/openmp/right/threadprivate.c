/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

static int mine;
#pragma omp threadprivate(mine)

int main(void)
{
	int sum = 0;

	mine = 7;
#pragma omp parallel num_threads(2) copyin(mine)
	mine += omp_get_thread_num();
#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum += mine;
	printf("%d\n", sum);
	assert(sum == 15);
	return 0;
}
