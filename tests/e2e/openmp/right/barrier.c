/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int in[3] = { 0 }, out[3] = { 0 };

#pragma omp parallel num_threads(3)
	{
		const int me = omp_get_thread_num();

		in[me] = me + 1;
#pragma omp barrier
		out[me] = in[(me + 1) % 3];
	}
	printf("%d %d %d\n", out[0], out[1], out[2]);
	assert(out[0] == 2 && out[1] == 3 && out[2] == 1);
	return 0;
}
