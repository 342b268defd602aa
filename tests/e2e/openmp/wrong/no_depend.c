/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: each one step */
#include <assert.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		x = 4;
#pragma omp task shared(x, y)
		y = x * 2;
	}
	assert(y == 8);
	return 0;
}
