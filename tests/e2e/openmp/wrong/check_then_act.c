/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: `critical` is held */
#include <assert.h>

int main(void)
{
	int room = 1, taken = 0;

#pragma omp parallel num_threads(2)
	{
		int free_now;

#pragma omp atomic read
		free_now = room;
		if (free_now) {
#pragma omp critical
			{
				room--;
				taken++;
			}
		}
	}
	assert(taken == 1);
	return 0;
}
