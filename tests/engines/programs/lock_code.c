/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fails if libc, as this program sees it, makes a system call where a thread waits for a stream's lock or hands it on:
 * movl $SYS_futex, %eax; syscall. Under vtb a jump stands in its place (runtime/engines/libc_calls.c). A libc with
 * other code passes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static int calls(const char *function)
{
	static const unsigned char number[] = {0xb8, 0xca, 0, 0, 0}, call[] = {0x0f, 0x05};
	const unsigned char *code = dlsym(RTLD_DEFAULT, function);

	for (int i = sizeof(number); code && i < 64; i++)
		if (!memcmp(code + i, call, sizeof(call)))
			return !memcmp(code + i - sizeof(number), number, sizeof(number));
	return 0;
}

static void *looks(void *function)
{
	return calls(function) ? function : NULL;
}

int main(void)
{
	pthread_t t[2];
	void *wait, *wake;

	pthread_create(&t[0], NULL, looks, "__lll_lock_wait_private");
	pthread_create(&t[1], NULL, looks, "__lll_lock_wake_private");
	pthread_join(t[0], &wait);
	pthread_join(t[1], &wake);
	return wait || wake;
}
