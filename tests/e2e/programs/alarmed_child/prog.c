/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alarmed_child: waits for an alarm, and then makes a file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static void rings(int signal)
{
	(void)signal;
}

int main(void)
{
	signal(SIGALRM, rings);
	ualarm(200000, 0);
	pause();
	close(open("made", O_CREAT | O_WRONLY, 0600));
	pause();
	return 0;
}
