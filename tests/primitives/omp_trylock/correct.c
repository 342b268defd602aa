/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who finds the lock taken does without. */
#include <assert.h>
#include <omp.h>

static omp_lock_t lock;
static int counter;

int main(void)
{
	int done = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2) reduction(+ : done)
	if (omp_test_lock(&lock)) {
		counter++;
		done++;
		omp_unset_lock(&lock);
	}
	assert(counter == done && done >= 1);
	return 0;
}
