/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit() in a thread: handlers of atexit and destructors of static objects run, each once, in the opposite order. */
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

struct Static {
	const char *name;
	explicit Static(const char *n) : name(n) {}
	~Static()
	{
		printf("destroyed %s\n", name);
	}
};
static Static first("first"), second("second");
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;

static void handler_a() { puts("handler a"); }
static void handler_b() { puts("handler b"); }

static void *leaves(void *)
{
	atexit(handler_b);
	puts("leaving");
	exit(3);
}

static void *waits(void *)
{
	pthread_mutex_lock(&never);
	return nullptr;
}

int main()
{
	pthread_t a, b;

	atexit(handler_a);
	pthread_mutex_lock(&never);
	pthread_create(&b, nullptr, waits, nullptr);
	pthread_create(&a, nullptr, leaves, nullptr);
	pthread_join(b, nullptr);
	puts("not reached");
	return 0;
}
