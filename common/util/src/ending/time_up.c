/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/time_up.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "vtb/cli.h"
#include "vtb/output.h"

static const char *command, *lost;
static const char *volatile doing = "nothing was done yet";

static size_t put(char *to, size_t size, size_t used, const char *text)
{
	for (; *text && used < size; text++)
		to[used++] = *text;
	return used;
}

/* Async-signal-safe: no stdio. */
static void end(int signal)
{
	char line[300];
	size_t n = put(line, sizeof(line), 0, command);

	(void)signal;
	n = put(line, sizeof(line), n, ": ended early: the time was over while ");
	n = put(line, sizeof(line), n, doing);
	n = put(line, sizeof(line), n, "; ");
	n = put(line, sizeof(line), n, lost);
	n = put(line, sizeof(line), n, "\n");
	vtb_output_unlink_all();
	if (write(2, line, n) < 0)
		_exit(VTB_EXIT_NOTHING);
	_exit(VTB_EXIT_NOTHING);
}

static void set_timer(double seconds)
{
	const struct itimerval timer = { .it_value = { .tv_sec = (time_t)seconds,
		                                       .tv_usec =
		                                           (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void vtb_time_up_begin(double seconds, const char *name, const char *what)
{
	const struct sigaction action = { .sa_handler = end, .sa_flags = SA_RESTART };
	sigset_t own;

	command = name;
	lost = what;
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&own);
	sigaddset(&own, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	set_timer(seconds + VTB_TIME_UP_GRACE);
}

void vtb_time_up_doing(const char *what)
{
	doing = what;
}

void vtb_time_up_end(void)
{
	set_timer(0);
}
