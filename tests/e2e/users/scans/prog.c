/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is scanned from a stream while another thread is there is what libc says: values, texts, and what stays as it
 * was. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0x5a

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_outside(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

static char first[64], second[64], third[64];

/* "as" of the room is `what`, and behind it nothing has been written. */
static int holds(const char *room, const char *what, size_t n)
{
	return memcmp(room, what, n) == 0 && room[n] == UNTOUCHED;
}

static int scan(const char *text, const char *format)
{
	FILE *from = fmemopen((char *)text, strlen(text), "r");
	int n;

	memset(first, UNTOUCHED, sizeof(first));
	memset(second, UNTOUCHED, sizeof(second));
	memset(third, UNTOUCHED, sizeof(third));
	n = fscanf(from, format, first, second, third);
	fclose(from);
	return n;
}

#define NUMBER(n) ((const char *)&(const int){n}), sizeof(int)

int main(void)
{
	pthread_t thread;
	char *made = NULL;
	FILE *from;

	pthread_mutex_lock(&gate);
	pthread_create(&thread, NULL, wait_outside, NULL);
	assert(scan("12 34", "%d %d") == 2 && holds(first, NUMBER(12)) && holds(second, NUMBER(34)));
	assert(scan("hello 34", "%s %d") == 2 && holds(first, "hello", 6) && holds(second, NUMBER(34)));
	assert(scan("hello", "%s %d") == 1 && holds(first, "hello", 6) && second[0] == UNTOUCHED);
	assert(scan("x", "%d %s") == 0 && first[0] == UNTOUCHED && second[0] == UNTOUCHED);
	assert(scan(" ", "%s") == EOF && first[0] == UNTOUCHED);
	assert(scan("abc123", "%2[a-z]%n%[a-z0-9]") == 2);
	assert(holds(first, "ab", 3) && holds(second, NUMBER(2)) && holds(third, "c123", 5));
	assert(scan("]x]y", "%[]x]%c") == 2 && holds(first, "]x]", 4) && holds(second, "y", 1));
	assert(scan("abcdef", "%3c%2c") == 2 && holds(first, "abc", 3) && holds(second, "de", 2));
	assert(scan("1 2 3", "%*d %hhd %hd") == 2 && holds(first, "\2", 1) && holds(second, "\3", 2));
	assert(scan("99 bottles", "%2$d %1$s") == 2 && holds(first, "bottles", 8) && holds(second, NUMBER(99)));
	assert(scan("abc def", "%10s%10s") == 2 && holds(first, "abc", 4) && holds(second, "def", 4));
	assert(scan("100%", "%d%%%n") == 1 && holds(first, NUMBER(100)) && holds(second, NUMBER(4)));
	from = fmemopen("some", 4, "r");
	assert(fscanf(from, "%ms", &made) == 1 && strcmp(made, "some") == 0);
	fclose(from);
	free(made);
	pthread_mutex_unlock(&gate);
	pthread_join(thread, NULL);
	return 0;
}
