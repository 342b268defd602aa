/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int count = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		{
			assert(omp_get_level() == 2 && omp_get_team_size(1) == 2);
#pragma omp atomic
			count++;
		}
	}
	printf("%d\n", count);
	assert(count == 4);
	return 0;
}
