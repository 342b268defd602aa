/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: `critical( */
#include <assert.h>

int main(void)
{
	int count = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
#pragma omp critical(red)
		count++;
#pragma omp section
#pragma omp critical(blue)
		count++;
	}
	assert(count == 2);
	return 0;
}
