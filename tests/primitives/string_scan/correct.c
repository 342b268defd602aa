/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread changes a line in two steps, another one scans it, under a lock. The last bytes that main may read hold a number and no end of text:
 * nothing behind them is touched. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char line[] = "12 34";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
	pthread_mutex_lock(&lock);
	line[0] = '7';
	line[1] = '6';
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *scan(void *arg)
{
	int first = 0, second = 0;

	pthread_mutex_lock(&lock);
	sscanf(line, "%d %d", &first, &second);
	pthread_mutex_unlock(&lock);
	assert(second == 34 && (first == 12 || first == 76));
	return arg;
}

static void reads_no_further(void)
{
	static const char text[] = "x=17 2.5,";
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = sizeof(text) - 1;
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at = pages + page - n, *end, copy[16];

	assert(pages != MAP_FAILED);
	memcpy(at, text, n);
	mprotect(pages + page, page, PROT_NONE);
	assert(memchr(at, '=', SIZE_MAX / 2) == at + 1);
	assert(memccpy(copy, at, '=', sizeof(copy)) == copy + 2);
	assert(strtol(at + 2, &end, 10) == 17 && end == at + 4);
	assert(atoi(at + 2) == 17);
	assert(strtod(end, &end) == 2.5 && *end == ',');
	assert(strchrnul(at, ',') == at + n - 1);
	assert(strcspn(at, " ") == 4);
	assert(strchr(at, '=') == at + 1 && strpbrk(at, "=,") == at + 1);
	munmap(pages, 2 * page);
}

int main(void)
{
	pthread_t threads[2];

	reads_no_further();
	pthread_create(&threads[0], NULL, change, NULL);
	pthread_create(&threads[1], NULL, scan, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
