/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int a[4] = { 1, 0, 0, 0 };

#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
	for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
		a[i] = a[i - 1] * 2;
#pragma omp ordered depend(source)
	}
	printf("%d\n", a[3]);
	assert(a[3] == 8);
	return 0;
}
