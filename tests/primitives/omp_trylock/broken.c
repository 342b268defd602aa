/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nobody looks whether the lock was to be had. */
#include <assert.h>
#include <omp.h>

static omp_lock_t lock;
static int counter;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	if (omp_test_lock(&lock)) {
		counter++;
		omp_unset_lock(&lock);
	}
	assert(counter == 2);
	return 0;
}
