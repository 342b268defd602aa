/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads, and a failure that depends on what the argument names: the order of their operations, or something that
 * no order changes. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, whole = 1;

/* Whole: in one piece. Else the lock is let go in between, for long where a recording is to show it. */
static void *add(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = sum;
	if (!whole) {
		pthread_mutex_unlock(&lock);
		if (getenv("SLOW"))
			usleep(20000);
		pthread_mutex_lock(&lock);
	}
	sum = seen + *(int *)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int bad_input(void)
{
	char line[16] = "";

	return !fgets(line, sizeof(line), stdin) || strcmp(line, "bad\n") == 0;
}

static int bad_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_nsec / 1000 % 2;
}

static int bad_address(void)
{
	int here;

	return (uintptr_t)&here / 16 % 2;
}

static int bad_fill(void)
{
	unsigned char *volatile block = malloc(3000);
	const int bad = block[2000] & 1;

	free(block);
	return bad;
}

static int bad_child(void)
{
	char line[16] = "";
	FILE *from = popen("cat child.txt", "r");

	if (!from || !fgets(line, sizeof(line), from))
		return 0;
	pclose(from);
	return strcmp(line, "bad\n") == 0;
}

static int is_bad(const char *what)
{
	if (strcmp(what, "env") == 0)
		return getenv("BAD") != NULL;
	if (strcmp(what, "input") == 0)
		return bad_input();
	if (strcmp(what, "clock") == 0)
		return bad_clock();
	if (strcmp(what, "address") == 0)
		return bad_address();
	if (strcmp(what, "child") == 0)
		return bad_child();
	return strcmp(what, "fill") == 0 && bad_fill();
}

int main(int argc, char **argv)
{
	int one = 1, two = 2;
	pthread_t a, b;

	if (argc != 2)
		return 2;
	whole = strcmp(argv[1], "order") != 0;
	pthread_create(&a, NULL, add, &one);
	pthread_create(&b, NULL, add, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(sum == 3);
	assert(!is_bad(argv[1]));
	return 0;
}
