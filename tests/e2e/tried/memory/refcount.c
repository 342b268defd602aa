/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last who leaves frees; the count is read again after it was lowered. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct buffer {
	atomic_int users;
	char *data;
};

static void put(struct buffer *b)
{
#ifdef FIXED
	if (atomic_fetch_sub(&b->users, 1) == 1) {
#else
	atomic_fetch_sub(&b->users, 1);
	if (atomic_load(&b->users) == 0) {
#endif
		free(b->data);
		free(b);
	}
}

static void *user(void *arg)
{
	struct buffer *b = arg;

	b->data[0] = 'x';
	put(b);
	return NULL;
}

int main(void)
{
	struct buffer *b = malloc(sizeof(*b));
	pthread_t threads[2];

	atomic_init(&b->users, 2);
	b->data = malloc(16);
	pthread_create(&threads[0], NULL, user, b);
	pthread_create(&threads[1], NULL, user, b);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
