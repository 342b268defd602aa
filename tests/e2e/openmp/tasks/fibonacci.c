/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 3)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	int r = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	r = fib(5);
	printf("%d\n", r);
	assert(r == 5);
	return 0;
}
