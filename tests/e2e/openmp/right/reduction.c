/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int sum = 0, most = -1;
	double product = 1;

#pragma omp parallel for num_threads(3) reduction(+ : sum) reduction(max : most) reduction(* : product)
	for (int i = 1; i <= 6; i++) {
		sum += i;
		most = i > most ? i : most;
		product *= i;
	}
	printf("%d %d %g\n", sum, most, product);
	assert(sum == 21 && most == 6 && product == 720);
	return 0;
}
