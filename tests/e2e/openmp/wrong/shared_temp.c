/* SPDX-License-Identifier: GPL-2.0-or-later */
/* says: must be one step */
#include <assert.h>

int main(void)
{
	int t, a[2];

#pragma omp parallel for num_threads(2) private(a) shared(t)
	for (int i = 0; i < 2; i++) {
		t = i + 1;
		a[i] = t;
		assert(a[i] == i + 1);
	}
	return 0;
}
