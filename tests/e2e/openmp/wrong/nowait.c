/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: wait for it before */
#include <assert.h>

int main(void)
{
	int a[4] = { 0 }, sum = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp for nowait
		for (int i = 0; i < 4; i++)
			a[i] = 1;
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 4; i++)
			sum += a[3 - i];
	}
	assert(sum == 4);
	return 0;
}
