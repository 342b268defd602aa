/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What is written for a region runs without one, too. */
static int mine[5], count;

static void work(void)
{
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 5; i++)
		mine[i]++;
#pragma omp sections
	{
#pragma omp section
		mine[0]++;
#pragma omp section
		mine[1]++;
	}
#pragma omp single
	mine[2]++;
#pragma omp task
	mine[3]++;
#pragma omp taskwait
#pragma omp taskgroup
	{
#pragma omp task
#pragma omp atomic
		mine[4]++;
	}
#pragma omp barrier
#pragma omp critical
	count++;
}

int main(void)
{
	work();
	for (int i = 0; i < 5; i++)
		assert(mine[i] == 2);
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		memset(mine, 0, sizeof(mine));
#pragma omp for ordered
		for (int i = 0; i < 2; i++)
#pragma omp ordered
			mine[i] = i + 1;
	}
	printf("%d %d%d\n", count, mine[0], mine[1]);
	assert(count == 1 && mine[1] == 2);
	return 0;
}
