/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int next = 0;

#pragma omp parallel for ordered num_threads(2) schedule(dynamic)
	for (int i = 0; i < 3; i++) {
#pragma omp ordered
		{
			assert(next == i);
			next++;
		}
	}
	printf("%d\n", next);
	return 0;
}
