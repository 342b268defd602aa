/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool of connections: a semaphore counts the free ones, and nothing guards which they are. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define CONNECTIONS 2

struct connection {
	int socket;
	int busy;
	int users;
};

struct pool {
	struct connection all[CONNECTIONS];
	sem_t free;
	pthread_mutex_t lock;
};

typedef int (*query_fn)(struct connection *c, void *data);

static void pool_init(struct pool *p)
{
	for (int i = 0; i < CONNECTIONS; i++)
		p->all[i] = (struct connection){ .socket = 10 + i };
	sem_init(&p->free, 0, CONNECTIONS);
	pthread_mutex_init(&p->lock, NULL);
}

static struct connection *pool_take(struct pool *p)
{
	struct connection *c = NULL;

	sem_wait(&p->free);
#ifdef FIXED
	pthread_mutex_lock(&p->lock);
#endif
	for (int i = 0; i < CONNECTIONS && !c; i++)
		if (!p->all[i].busy)
			c = &p->all[i];
	c->busy = 1;
#ifdef FIXED
	pthread_mutex_unlock(&p->lock);
#endif
	return c;
}

static void pool_give(struct pool *p, struct connection *c)
{
	pthread_mutex_lock(&p->lock);
	c->busy = 0;
	pthread_mutex_unlock(&p->lock);
	sem_post(&p->free);
}

static int with_connection(struct pool *p, query_fn query, void *data)
{
	struct connection *c = pool_take(p);
	int answer = query(c, data);

	pool_give(p, c);
	return answer;
}

static int count_user(struct connection *c, void *data)
{
	int *alone = data;

	c->users++;
	*alone = c->users == 1;
	c->users--;
	return c->socket;
}

struct client {
	struct pool *pool;
	int alone;
};

static void *client(void *arg)
{
	struct client *me = arg;

	with_connection(me->pool, count_user, &me->alone);
	return NULL;
}

int main(void)
{
	struct pool pool;
	struct client clients[2] = { { &pool, 0 }, { &pool, 0 } };
	pthread_t threads[2];

	pool_init(&pool);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, client, &clients[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		if (!clients[i].alone) {
			fprintf(stderr, "client %d shared its connection\n", i);
			return EXIT_FAILURE;
		}
	return EXIT_SUCCESS;
}
