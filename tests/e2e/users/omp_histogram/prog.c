// SPDX-License-Identifier: GPL-2.0-or-later
// OpenMP: parallel loops with reduction, critical, atomic, sections and a single.
#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define N 32
#define BINS 4

static int data[N], bins[BINS];

static long sum_squares(void)
{
	long sum = 0;

#pragma omp parallel for reduction(+ : sum) schedule(static)
	for (int i = 0; i < N; i++)
		sum += (long)data[i] * data[i];
	return sum;
}

static void histogram(void)
{
#pragma omp parallel
	{
		int mine[BINS] = { 0 };

#pragma omp for nowait
		for (int i = 0; i < N; i++)
			mine[data[i] % BINS]++;
#pragma omp critical
		for (int b = 0; b < BINS; b++)
			bins[b] += mine[b];
	}
}

static int largest(void)
{
	int most = 0;

#pragma omp parallel for reduction(max : most) schedule(dynamic, 8)
	for (int i = 0; i < N; i++)
		most = data[i] > most ? data[i] : most;
	return most;
}

int main(void)
{
	int made = 0, count = 0;
	long sum = 0;

	omp_set_num_threads(2);
	for (int i = 0; i < N; i++) {
		data[i] = i;
		sum += (long)i * i;
	}
	assert(sum_squares() == sum && largest() == N - 1);
	histogram();
	for (int b = 0; b < BINS; b++)
		assert(bins[b] == N / BINS);
#pragma omp parallel
	{
#pragma omp single
		made++;
#pragma omp atomic
		count++;
#pragma omp barrier
		assert(made == 1);
	}
	assert(made == 1 && count == 2);
	return 0;
}
