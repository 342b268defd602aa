/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int a = 0, b = 0, c = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		a = 1;
#pragma omp section
		b = 2;
#pragma omp section
		c = 3;
	}
	printf("%d\n", a + b + c);
	assert(a + b + c == 6);
	return 0;
}
