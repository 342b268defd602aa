/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two locks of OpenMP in opposite order. */
#include <omp.h>

static omp_lock_t first, second;

static void both(omp_lock_t *outer, omp_lock_t *inner)
{
	omp_set_lock(outer);
	omp_set_lock(inner);
	omp_unset_lock(inner);
	omp_unset_lock(outer);
}

int main(void)
{
	omp_init_lock(&first);
	omp_init_lock(&second);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num())
		both(&first, &second);
	else
		both(&second, &first);
	return 0;
}
