/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: before 0 writes frame */
#include <assert.h>

int main(void)
{
	int made = 0, used = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		made = 7;
#pragma omp section
		used = made;
	}
	assert(used == 7);
	return 0;
}
