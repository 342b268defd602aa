/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A configuration is published before it is filled in. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct config {
	char *name;
	int workers;
};

static _Atomic(struct config *) current;

static void *loader(void *arg)
{
	struct config *c = calloc(1, sizeof(*c));

	(void)arg;
#ifdef FIXED
	c->name = strdup("production");
	c->workers = 4;
	atomic_store(&current, c);
#else
	atomic_store(&current, c);
	c->name = strdup("production");
	c->workers = 4;
#endif
	return NULL;
}

static void *server(void *arg)
{
	struct config *c = atomic_load(&current);

	(void)arg;
	if (c)
		printf("%zu workers %d\n", strlen(c->name), c->workers);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, loader, NULL);
	pthread_create(&b, NULL, server, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
