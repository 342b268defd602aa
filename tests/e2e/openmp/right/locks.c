/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t lock;
	omp_nest_lock_t nest;
	int count = 0, deep = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	{
		omp_set_lock(&lock);
		count++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		assert(omp_test_nest_lock(&nest) == 2);
		deep++;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
	}
	omp_destroy_nest_lock(&nest);
	omp_destroy_lock(&lock);
	printf("%d %d\n", count, deep);
	assert(count == 2 && deep == 2);
	return 0;
}
