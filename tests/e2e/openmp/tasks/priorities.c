/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

/* More of tasks: final, mergeable, untied, depend objects, if(0) with depend, taskwait depend, priorities. */
static int order[4], n;

int main(void)
{
	int x = 0, y = 0;
	omp_depend_t of_x;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp depobj(of_x) depend(inout : x)
#pragma omp task depend(depobj : of_x) shared(x) untied
		x = 1;
#pragma omp task depend(in : x) if (0) shared(x)
		assert(x == 1);
#pragma omp task depend(inout : y) final(1) mergeable shared(y) priority(3)
		{
#pragma omp task shared(y)
			y = omp_in_final() ? 2 : 5;
			y++;
		}
#pragma omp taskwait depend(in : y)
		assert(y == 3);
#pragma omp depobj(of_x) destroy
	}
#pragma omp parallel num_threads(1)
	for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i)
		order[n++] = i;
	}
	printf("%d %d %d%d%d%d\n", x, y, order[0], order[1], order[2], order[3]);
	assert(x == 1 && n == 4);
	return 0;
}
