/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int done[4] = { 0 };

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(2)
	for (int i = 0; i < 4; i++)
		done[i] = i + 1;
	printf("%d\n", done[0] + done[1] + done[2] + done[3]);
	assert(done[0] + done[1] + done[2] + done[3] == 10);
	return 0;
}
