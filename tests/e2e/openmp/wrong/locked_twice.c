/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: which it holds itself */
#include <assert.h>
#include <omp.h>

static omp_lock_t lock;

static void inner(void)
{
	omp_set_lock(&lock);
	omp_unset_lock(&lock);
}

int main(void)
{
	int last = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		int me;

#pragma omp atomic capture
		me = last++;
		if (me == 1 && omp_get_thread_num() == 0) {
			omp_set_lock(&lock);
			inner();
			omp_unset_lock(&lock);
		}
	}
	return 0;
}
