/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int a = 0, b = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(a)
		a = 1;
#pragma omp task shared(b)
		b = 2;
#pragma omp taskwait
		assert(a + b == 3);
	}
	printf("%d\n", a + b);
	return 0;
}
