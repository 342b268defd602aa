// SPDX-License-Identifier: GPL-2.0-or-later
// pthread_once and thread-specific data with destructors that give buffers back to a pool, in several rounds.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3

struct buffer {
	struct buffer *next;
	char text[32];
	size_t used;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key, depends;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *pool;
static int made, returned, late;

static void give_back(void *value)
{
	struct buffer *b = value;

	pthread_mutex_lock(&lock);
	b->next = pool;
	pool = b;
	returned++;
	pthread_mutex_unlock(&lock);
}

/* A destructor that sets another key's value: that one's destructor is called in a second round. */
static void leaves_more(void *value)
{
	struct buffer *b = calloc(1, sizeof(*b));

	assert(b && value);
	pthread_mutex_lock(&lock);
	late++;
	made++;
	pthread_mutex_unlock(&lock);
	assert(pthread_setspecific(key, b) == 0);
}

static void init(void)
{
	assert(pthread_key_create(&key, give_back) == 0);
	assert(pthread_key_create(&depends, leaves_more) == 0);
}

static struct buffer *mine(void)
{
	struct buffer *b;

	pthread_once(&once, init);
	b = pthread_getspecific(key);
	if (b)
		return b;
	pthread_mutex_lock(&lock);
	b = pool;
	if (b)
		pool = b->next;
	else
		made++;
	pthread_mutex_unlock(&lock);
	if (!b)
		b = malloc(sizeof(*b));
	assert(b);
	memset(b, 0, sizeof(*b));
	assert(pthread_setspecific(key, b) == 0);
	return b;
}

static void say(const char *word)
{
	struct buffer *b = mine();
	size_t n = strlen(word);

	assert(b->used + n < sizeof(b->text));
	memcpy(b->text + b->used, word, n);
	b->used += n;
}

static void *work(void *arg)
{
	say("hello ");
	say(arg);
	assert(strncmp(mine()->text, "hello ", 6) == 0 && strcmp(mine()->text + 6, arg) == 0);
	if (*(char *)arg == 'b')
		pthread_setspecific(depends, &late);
	return NULL;
}

int main(void)
{
	static char *names[THREADS] = { "a", "b", "c" };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, work, names[i]) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(late == 1 && made >= 2 && returned == THREADS + 1);
	while (pool) {
		struct buffer *b = pool;

		pool = b->next;
		free(b);
		made--;
	}
	assert(made == 0);
	return 0;
}
