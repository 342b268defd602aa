/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A check that stops in a debugger where it fails, as by __builtin_debugtrap(). What the program has set for the signal
 * before is what it is told, and a handler of its own gets what it sends itself. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static int balance;
static volatile sig_atomic_t seen;

static void on_trap(int signal)
{
	(void)signal;
	seen++;
}

static void *deposit(void *arg)
{
	int now = balance;

	balance = now + 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	if (signal(SIGTRAP, on_trap) != SIG_DFL || raise(SIGTRAP) != 0 || seen != 1)
		abort();
	__asm__ volatile("int3");
	if (seen != 2 || signal(SIGTRAP, SIG_DFL) != on_trap)
		abort();
	pthread_create(&a, NULL, deposit, NULL);
	pthread_create(&b, NULL, deposit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (balance != 2)
		__asm__ volatile("int3");
	return 0;
}
