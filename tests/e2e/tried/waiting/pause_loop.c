/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon sleeps until a signal comes: SIGHUP makes it read its settings anew, SIGTERM ends it.
 * Bug: a signal that comes after the test and before pause() is handled, and then waited for.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t stopped, reload;
static int settings;
static pthread_t daemon_thread;

static void on_term(int number)
{
	(void)number;
	stopped = 1;
}

static void on_hup(int number)
{
	(void)number;
	reload = 1;
}

static void *operator(void *arg)
{
	pthread_kill(daemon_thread, SIGHUP);
	pthread_kill(daemon_thread, SIGTERM);
	return arg;
}

static void rest(const sigset_t *open)
{
#ifdef FIXED
	if (!stopped && !reload)
		sigsuspend(open);
#else
	(void)open;
	if (!stopped && !reload)
		pause();
#endif
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_term };
	sigset_t both, open;
	pthread_t thread;

	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = on_hup;
	sigaction(SIGHUP, &action, NULL);
	sigemptyset(&both);
	sigaddset(&both, SIGTERM);
	sigaddset(&both, SIGHUP);
#ifdef FIXED
	pthread_sigmask(SIG_BLOCK, &both, &open);
#else
	pthread_sigmask(SIG_SETMASK, NULL, &open);
#endif
	daemon_thread = pthread_self();
	pthread_create(&thread, NULL, operator, NULL);
	while (!stopped) {
		if (reload) {
			reload = 0;
			settings++;
		}
		rest(&open);
	}
	pthread_join(thread, NULL);
	return 0;
}
