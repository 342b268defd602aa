/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: each one step */
#include <assert.h>

int main(void)
{
	int made = 0, seen = 0;

#pragma omp parallel num_threads(2) reduction(+ : seen)
	{
#pragma omp single nowait
		made = 3;
#pragma omp critical
		seen += made;
	}
	assert(seen == 6);
	return 0;
}
