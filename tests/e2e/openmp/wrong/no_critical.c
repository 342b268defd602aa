/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: must be one step */
#include <assert.h>

int main(void)
{
	int count = 0;

#pragma omp parallel num_threads(2)
	count++;
	assert(count == 2);
	return 0;
}
