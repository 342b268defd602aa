/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int x = 0, y = 0, seen = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task shared(x, y)
			{
#pragma omp task shared(y)
				y = 1;
				x = 1;
			}
		}
		seen = x + y;
	}
	printf("%d\n", seen);
	assert(seen == 2);
	return 0;
}
