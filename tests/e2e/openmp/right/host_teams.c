/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int seen = 0;

#pragma omp teams num_teams(2) thread_limit(2)
#pragma omp parallel
	{
		assert(omp_get_num_teams() == 2 && omp_get_num_threads() <= 2);
#pragma omp single
		seen += 1 + omp_get_team_num();
	}
	printf("%d %d\n", seen, omp_get_num_devices());
	assert(seen == 3);
	return 0;
}
