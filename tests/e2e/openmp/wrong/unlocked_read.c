/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: is held */
#include <assert.h>
#include <omp.h>

int main(void)
{
	omp_lock_t lock;
	int stock = 1, sold = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		const int left = stock;

		omp_set_lock(&lock);
		if (left > 0) {
			stock--;
			sold++;
		}
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	assert(sold == 1 && stock == 0);
	return 0;
}
