/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Name and length are changed in two steps, under the lock each. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[16] = "ab";
static size_t length = 2;

static void rename_to(const char *to)
{
	pthread_mutex_lock(&lock);
	strcpy(name, to);
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	length = strlen(to);
	pthread_mutex_unlock(&lock);
}

static void *writer(void *arg)
{
	rename_to(arg);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	assert(strlen(name) == length);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, "longer");
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
