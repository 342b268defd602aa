/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: wait for it before */
#include <assert.h>
#include <omp.h>

int main(void)
{
	int in[2] = { 0 }, out[2] = { 0 };

#pragma omp parallel num_threads(2)
	{
		const int me = omp_get_thread_num();

		in[me] = me + 1;
		out[me] = in[1 - me];
	}
	assert(out[0] == 2 && out[1] == 1);
	return 0;
}
