/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

#define N 6
int main(void)
{
	int now[N] = { 0, 0, 9, 0, 0, 0 }, next[N] = { 0 };

#pragma omp parallel num_threads(2)
	for (int step = 0; step < 2; step++) {
#pragma omp for
		for (int i = 1; i < N - 1; i++)
			next[i] = now[i - 1] + now[i] + now[i + 1];
#pragma omp for
		for (int i = 1; i < N - 1; i++)
			now[i] = next[i];
	}
	for (int i = 0; i < N; i++)
		printf("%d ", now[i]);
	puts("");
	assert(now[1] == 18 && now[2] == 27 && now[3] == 18);
	return 0;
}
