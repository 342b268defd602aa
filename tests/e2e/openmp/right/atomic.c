/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int count = 0, tickets = 0;
	int ticket[2];

#pragma omp parallel num_threads(2)
	{
		int mine;

#pragma omp atomic update
		count += 2;
#pragma omp atomic capture
		mine = tickets++;
		ticket[mine] = 1;
	}
	printf("%d\n", count + ticket[0] + ticket[1]);
	assert(count == 4 && ticket[0] && ticket[1]);
	return 0;
}
