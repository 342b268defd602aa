/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

/* With OMP_CANCELLATION=true the search ends early; without it goes on: found in either case. */
int main(void)
{
	int found = 0, at = -1;

#pragma omp parallel num_threads(2) shared(found)
	{
#pragma omp for
		for (int i = 0; i < 4; i++) {
			if (i == 2) {
#pragma omp atomic write
				found = 1;
				at = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
	}
	printf("%d %d\n", found, at);
	assert(found && at == 2);
	return 0;
}
