/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int made = 0, seen = 0;

#pragma omp parallel num_threads(2) reduction(+ : seen)
	{
#pragma omp single
		made = 5;
		seen += made;
	}
	printf("%d %d\n", made, seen);
	assert(made == 5 && seen == 10);
	return 0;
}
