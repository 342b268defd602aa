/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

#define N 3
static int queue[N], filled;

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
			{
#pragma omp critical(queue)
				queue[filled++] = i + 1;
			}
		}
#pragma omp taskwait
		for (int i = 0; i < N; i++)
			sum += queue[i];
	}
	printf("%d\n", sum);
	assert(sum == 6 && filled == N);
	return 0;
}
