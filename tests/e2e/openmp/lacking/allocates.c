/* SPDX-License-Identifier: GPL-2.0-or-later */
/* It calls functions that libvtb-omp.so has not: all of it runs on libgomp. */
#include <assert.h>
#include <omp.h>

int main(void)
{
	int *count = omp_alloc(sizeof(*count), omp_default_mem_alloc);

	*count = 0;
#pragma omp parallel num_threads(2)
#pragma omp critical
	(*count)++;
	assert(*count == 2);
	omp_free(count, omp_default_mem_alloc);
	return 0;
}
