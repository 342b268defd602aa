/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Correct: it sets what happens at memory faults, again and again, and is told what it has set. Hooks tell the runtime
 * of memory that nobody can read (what reads ahead does not fault by that); whatever is set, nothing comes of it.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __tsan_read4(void *address);

#define HANDLERS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

static sigjmp_buf back;
static volatile sig_atomic_t called = -1, expected;
static char *unreadable;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handle(int which)
{
	if (!expected)
		_exit(9);
	called = which;
	siglongjmp(back, 1);
}

#define HANDLER(i)                      \
	static void on_fault##i(int signal) \
	{                                   \
		(void)signal;                   \
		handle(i);                      \
	}
HANDLERS(HANDLER)

#define NAME(i) on_fault##i,
static void (*const handlers[])(int) = {HANDLERS(NAME)};

static void set(int signal, void (*handler)(int), int flags)
{
	struct sigaction action, told;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	assert(!sigaction(signal, &action, NULL) && !sigaction(signal, NULL, &told));
	assert(told.sa_handler == handler && (told.sa_flags & ~0x04000000) == flags);
}

static void work(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		__tsan_read4(unreadable);
		pthread_mutex_unlock(&mutex);
	}
}

static void *run(void *arg)
{
	work();
	return arg;
}

static void work_with(int signal, void (*handler)(int), int flags)
{
	pthread_t thread;

	set(signal, handler, flags);
	pthread_create(&thread, NULL, run, NULL);
	work();
	pthread_join(thread, NULL);
}

static void fault(int which)
{
	expected = 1;
	if (!sigsetjmp(back, 1))
		*(volatile char *)unreadable = 1;
	expected = 0;
	assert(called == which);
}

int main(void)
{
	struct sigaction told;

	unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	work_with(SIGSEGV, SIG_DFL, 0);
	work_with(SIGSEGV, SIG_IGN, 0);
	raise(SIGSEGV);
	for (int i = 0; i < (int)(sizeof(handlers) / sizeof(*handlers)); i++) {
		work_with(SIGSEGV, handlers[i], 0);
		fault(i);
	}
	work_with(SIGSEGV, handlers[0], (int)SA_RESETHAND);
	fault(0);
	assert(!sigaction(SIGSEGV, NULL, &told) && told.sa_handler == SIG_DFL);
	work_with(SIGABRT, SIG_DFL, 0);
	return 0;
}
