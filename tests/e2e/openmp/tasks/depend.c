/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		x = 4;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
		y = x * 2;
#pragma omp task depend(in : y) shared(y)
		assert(y == 8);
	}
	printf("%d %d\n", x, y);
	assert(x == 4 && y == 8);
	return 0;
}
