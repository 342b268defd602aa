/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define N 8
static int data[N] = { 5, 2, 7, 1, 8, 3, 6, 4 }, room[N];

static void merge(int lo, int mid, int hi)
{
	int a = lo, b = mid;

	for (int i = lo; i < hi; i++)
		room[i] = b >= hi || (a < mid && data[a] <= data[b]) ? data[a++] : data[b++];
	memcpy(data + lo, room + lo, sizeof(*data) * (size_t)(hi - lo));
}

static void sort(int lo, int hi)
{
	const int mid = (lo + hi) / 2;

	if (hi - lo < 2)
		return;
#pragma omp task if (hi - lo > 4)
	sort(lo, mid);
#pragma omp task if (hi - lo > 4)
	sort(mid, hi);
#pragma omp taskwait
	merge(lo, mid, hi);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	sort(0, N);
	for (int i = 0; i < N; i++) {
		printf("%d ", data[i]);
		assert(data[i] == i + 1);
	}
	puts("");
	return 0;
}
