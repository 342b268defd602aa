/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: each one step */
#include <assert.h>

int main(void)
{
	int part[2] = { 0 }, sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i) shared(part)
			part[i] = i + 1;
		}
#pragma omp task shared(part, sum)
		sum = part[0] + part[1];
	}
	assert(sum == 3);
	return 0;
}
