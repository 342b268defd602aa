/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread that keeps the C library busy: strings, memory, the allocator, sorting, formatting. Prints where the library lies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[512], copy[512];
static unsigned long sum;

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What the test compares lies between the first and the last access of this function. */
__attribute__((noinline)) static void work(unsigned rounds)
{
	char *names[16];

	for (unsigned n = 1; n < 200 + rounds; n += 7) {
		memset(text, 'a' + (int)(n % 26), n);
		text[n] = 0;
		memcpy(copy, text, n + 1);
		memmove(copy + 3, copy, n / 2);
		sum += strlen(copy) + (unsigned long)(strchr(text, 'c') != NULL) + (unsigned long)(memchr(copy, 'z', n) != NULL);
		sum += (unsigned long)(strcmp(text, copy) > 0) + (unsigned long)(memcmp(text, copy, n) > 0);
	}
	for (unsigned i = 0; i < 16; i++) {
		names[i] = malloc(24 + i * 40);
		snprintf(names[i], 24, "name %u of %s", (i * 7) % 16, "sixteen");
	}
	qsort(names, 16, sizeof(*names), compare);
	for (unsigned i = 0; i < 16; i++) {
		sum += strlen(names[i]);
		free(names[i]);
	}
}

int main(int argc, char **argv)
{
	work(argc > 1 ? (unsigned)atoi(argv[1]) : 10);
	printf("%p %lu\n", (void *)(unsigned long)getpid, sum);
	return 0;
}
