/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

#define N 23
static int done[N];

static void check(int times)
{
	for (int i = 0; i < N; i++)
		assert(done[i] == times);
}

int main(void)
{
	unsigned long long from = 3;

	omp_set_schedule(omp_sched_guided, 2);
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(guided)
		for (int i = 0; i < N; i++)
			done[i]++;
#pragma omp for schedule(runtime)
		for (int i = N - 1; i >= 0; i--)
			done[i]++;
#pragma omp for schedule(static, 3)
		for (int i = 0; i < N; i++)
			done[i]++;
#pragma omp for schedule(dynamic, 5)
		for (unsigned long long i = from; i < from + N; i++)
			done[i - from]++;
	}
	check(4);
	puts("all");
	return 0;
}
