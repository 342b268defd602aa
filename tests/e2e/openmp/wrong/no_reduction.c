/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: must be one step */
#include <assert.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 1; i <= 3; i++)
		sum += i;
	assert(sum == 6);
	return 0;
}
