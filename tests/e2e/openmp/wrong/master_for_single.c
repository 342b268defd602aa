/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: wait for it before */
#include <assert.h>

int main(void)
{
	int made = 0, seen = 0;

#pragma omp parallel num_threads(2) reduction(+ : seen)
	{
#pragma omp master
		made = 5;
		seen += made;
	}
	assert(seen == 10);
	return 0;
}
