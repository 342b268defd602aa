// SPDX-License-Identifier: GPL-2.0-or-later
// Gaussian elimination with one barrier a column; the serial thread picks the pivot.
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define N 3
#define THREADS 2

static double a[N][N + 1] = { { 0, 2, 1, 7 }, { 1, -2, -3, -7 }, { -1, 1, 2, 5 } };
static pthread_barrier_t step;
static int rows[THREADS];

static void pick_pivot(int column)
{
	int best = column;

	for (int r = column + 1; r < N; r++)
		if (fabs(a[r][column]) > fabs(a[best][column]))
			best = r;
	if (best == column)
		return;
	for (int c = 0; c <= N; c++) {
		double t = a[column][c];

		a[column][c] = a[best][c];
		a[best][c] = t;
	}
}

static void *eliminate(void *arg)
{
	int me = *(int *)arg;

	for (int column = 0; column < N - 1; column++) {
		if (pthread_barrier_wait(&step) == PTHREAD_BARRIER_SERIAL_THREAD)
			pick_pivot(column);
		pthread_barrier_wait(&step);
		for (int r = column + 1 + me; r < N; r += THREADS) {
			double factor = a[r][column] / a[column][column];

			for (int c = column; c <= N; c++)
				a[r][c] -= factor * a[column][c];
		}
	}
	return NULL;
}

int main(void)
{
	static const double right[N] = { 1, 2, 3 };
	pthread_t threads[THREADS];
	double x[N];

	assert(pthread_barrier_init(&step, NULL, THREADS) == 0);
	for (int i = 0; i < THREADS; i++) {
		rows[i] = i;
		assert(pthread_create(&threads[i], NULL, eliminate, &rows[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&step);
	for (int r = N - 1; r >= 0; r--) {
		x[r] = a[r][N];
		for (int c = r + 1; c < N; c++)
			x[r] -= a[r][c] * x[c];
		x[r] /= a[r][r];
	}
	printf("%g %g %g\n", x[0], x[1], x[2]);
	(void)right;
	assert(fabs(0 * x[0] + 2 * x[1] + x[2] - 7) < 1e-9 && fabs(x[0] - 2 * x[1] - 3 * x[2] + 7) < 1e-9);
	return 0;
}
