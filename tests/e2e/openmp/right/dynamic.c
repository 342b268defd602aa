/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int done[5] = { 0 }, sum = 0;

#pragma omp parallel for num_threads(2) schedule(dynamic, 2) reduction(+ : sum)
	for (int i = 0; i < 5; i++) {
		done[i]++;
		sum += i;
	}
	for (int i = 0; i < 5; i++)
		assert(done[i] == 1);
	printf("%d\n", sum);
	assert(sum == 10);
	return 0;
}
