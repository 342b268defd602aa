// SPDX-License-Identifier: GPL-2.0-or-later
// Fibers of the program's own, told of by __tsan_switch_to_fiber. One begins on one thread and goes on, deep in its
// calls, on another.
#include <assert.h>
#include <pthread.h>
#include <ucontext.h>

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

static struct fiber {
	ucontext_t at;
	void *told;
} fiber, thread;
static char stack[1 << 16];
static int shared, rounds;

__attribute__((noinline)) static void change(struct fiber *from, struct fiber *to)
{
	__tsan_switch_to_fiber(to->told, 0);
	swapcontext(&from->at, &to->at);
}

__attribute__((noinline)) static void deep(int n)
{
	volatile int here = n;

	if (n)
		deep(n - 1);
	else
		change(&fiber, &thread); /* goes on in whoever comes next */
	assert(here == n);
	shared += here;
}

static void run(void)
{
	for (;;) {
		deep(30);
		rounds++;
	}
}

static void *carry(void *arg)
{
	thread.told = __tsan_get_current_fiber();
	change(&thread, &fiber);
	assert(__tsan_get_current_fiber() == thread.told);
	return arg;
}

int main(void)
{
	pthread_t t;

	getcontext(&fiber.at);
	fiber.at.uc_stack.ss_sp = stack;
	fiber.at.uc_stack.ss_size = sizeof(stack);
	makecontext(&fiber.at, run, 0);
	fiber.told = __tsan_create_fiber(0);
	__tsan_set_fiber_name(fiber.told, "worker");
	carry(NULL);
	pthread_create(&t, NULL, carry, NULL);
	pthread_join(t, NULL);
	carry(NULL);
	assert(rounds == 2 && shared == 2 * 465);
	__tsan_destroy_fiber(fiber.told);
	return 0;
}
