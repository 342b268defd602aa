/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock of OpenMP around a counter. */
#include <assert.h>
#include <omp.h>

static omp_lock_t lock;
static int counter;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		omp_set_lock(&lock);
		counter++;
		omp_unset_lock(&lock);
	}
	assert(counter == 2);
	omp_destroy_lock(&lock);
	return 0;
}
