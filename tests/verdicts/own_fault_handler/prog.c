/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Correct: its handler of memory faults knows of one, which is its own. The runtime reads what an operation goes to,
 * and finds nothing there that can be read, also while the handler runs; those faults are not the program's.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t faults, expected;

static void on_fault(int signal)
{
	(void)signal;
	if (!expected)
		_exit(9);
	faults++;
	siglongjmp(back, 1);
}

static void *work(void *arg)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&mutex);
		if (write(9, "x", 1) >= 0 || errno != EBADF)
			abort();
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

int main(void)
{
	struct sigaction action, before;
	pthread_t thread;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_fault;
	if (sigaction(SIGSEGV, &action, NULL) || sigaction(SIGSEGV, NULL, &before) || before.sa_handler != on_fault)
		return 2;
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	expected = 1;
	if (!sigsetjmp(back, 1))
		*(volatile int *)(uintptr_t)(faults + 8) = 1;
	return faults == 1 ? 0 : 3;
}
