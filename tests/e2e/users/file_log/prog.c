// SPDX-License-Identifier: GPL-2.0-or-later
// A logger with a thread of its own that writes to a file; lines are flushed on request; the file is read again.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES 4

struct logger {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	char lines[LINES][48];
	int used, writing, closed;
	FILE *file;
	pthread_t thread;
};

static void *write_lines(void *arg)
{
	struct logger *l = arg;
	char batch[LINES][48];

	pthread_mutex_lock(&l->lock);
	for (;;) {
		int n;

		while (!l->used && !l->closed)
			pthread_cond_wait(&l->filled, &l->lock);
		if (!l->used)
			break;
		n = l->used;
		memcpy(batch, l->lines, sizeof(batch));
		l->used = 0;
		l->writing = 1;
		pthread_mutex_unlock(&l->lock);
		for (int i = 0; i < n; i++)
			assert(fprintf(l->file, "%s\n", batch[i]) > 0);
		assert(fflush(l->file) == 0);
		pthread_mutex_lock(&l->lock);
		l->writing = 0;
		pthread_cond_broadcast(&l->emptied);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

__attribute__((format(printf, 2, 3))) static void say(struct logger *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(&l->lock);
	while (l->used == LINES)
		pthread_cond_wait(&l->emptied, &l->lock);
	vsnprintf(l->lines[l->used++], sizeof(l->lines[0]), format, args);
	pthread_cond_signal(&l->filled);
	pthread_mutex_unlock(&l->lock);
	va_end(args);
}

static void flush(struct logger *l)
{
	pthread_mutex_lock(&l->lock);
	while (l->used || l->writing)
		pthread_cond_wait(&l->emptied, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

static void finish(struct logger *l)
{
	pthread_mutex_lock(&l->lock);
	l->closed = 1;
	pthread_cond_broadcast(&l->filled);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	fclose(l->file);
}

static struct logger logger = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER
};

static void *work(void *arg)
{
	for (int i = 0; i < 2; i++)
		say(&logger, "worker %s: step %d", (char *)arg, i);
	return NULL;
}

static int count_lines(const char *name)
{
	FILE *f = fopen(name, "r");
	char line[64];
	int n = 0;

	assert(f);
	while (fgets(line, sizeof(line), f)) {
		assert(strncmp(line, "worker ", 7) == 0 || strcmp(line, "started\n") == 0);
		n++;
	}
	fclose(f);
	return n;
}

int main(void)
{
	char name[] = "log.XXXXXX";
	int fd = mkstemp(name);
	pthread_t a, b;

	assert(fd >= 0);
	logger.file = fdopen(fd, "w");
	assert(logger.file && pthread_create(&logger.thread, NULL, write_lines, &logger) == 0);
	say(&logger, "started");
	flush(&logger);
	assert(count_lines(name) == 1);
	assert(pthread_create(&a, NULL, work, "a") == 0 && pthread_create(&b, NULL, work, "b") == 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	finish(&logger);
	assert(count_lines(name) == 5);
	assert(unlink(name) == 0);
	return 0;
}
