/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int count = 0, other = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		count++;
#pragma omp critical(elsewhere)
		other += 2;
	}
	printf("%d %d\n", count, other);
	assert(count == 2 && other == 4);
	return 0;
}
