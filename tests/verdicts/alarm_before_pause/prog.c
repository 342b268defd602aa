/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread. The timer goes off between the test and pause(): then nothing ends that. */
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void ring(int signal)
{
	(void)signal;
	rang = 1;
}

int main(void)
{
	signal(SIGALRM, ring);
	alarm(1);
	while (!rang)
		pause();
	return 0;
}
