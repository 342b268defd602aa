/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: which writes total[1], must come before */
#include <assert.h>

static int total[2];

/* Only if the other thread has done both tasks before the first goes on does it pass. */
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 3; i++)
		if (i < 2) {
#pragma omp task firstprivate(i)
			total[i] = i + 1;
		} else {
			total[0] += total[1];
		}
	assert(total[0] == 3);
	return 0;
}
