/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lookup table whose miss path upgrades its read lock to a write lock while it still holds the read lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;
	char name[16];
	int uid;
};

struct table {
	pthread_rwlock_t lock;
	struct entry *bucket[4];
	int next_uid;
};

static struct entry *find(struct table *t, const char *name)
{
	for (struct entry *e = t->bucket[name[0] % 4]; e; e = e->next)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

static struct entry *insert(struct table *t, const char *name)
{
	struct entry *e = calloc(1, sizeof(*e));
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->uid = t->next_uid++;
	e->next = t->bucket[name[0] % 4];
	t->bucket[name[0] % 4] = e;
	return e;
}

static int table_uid(struct table *t, const char *name)
{
	pthread_rwlock_rdlock(&t->lock);
	struct entry *e = find(t, name);
	if (!e) {
#ifdef FIXED
		pthread_rwlock_unlock(&t->lock);
#endif
		pthread_rwlock_wrlock(&t->lock);
#ifdef FIXED
		e = find(t, name);
		if (!e)
#endif
		e = insert(t, name);
#ifndef FIXED
		pthread_rwlock_unlock(&t->lock);
#endif
	}
	int uid = e->uid;
	pthread_rwlock_unlock(&t->lock);
	return uid;
}

static struct table users = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static void *by_name(void *arg)
{
	(void)arg;
	pthread_rwlock_rdlock(&users.lock);
	struct entry *e = find(&users, "root");
	int uid = e ? e->uid : -1;
	pthread_rwlock_unlock(&users.lock);
	return (void *)(long)uid;
}

static void *login(void *arg)
{
	int *out = arg;
	pthread_rwlock_wrlock(&users.lock);
	if (!find(&users, "root"))
		insert(&users, "root");
	pthread_rwlock_unlock(&users.lock);
	*out = table_uid(&users, "root");
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int out = -1;
	pthread_create(&a, NULL, login, &out);
	pthread_create(&b, NULL, by_name, NULL);
	int mine = table_uid(&users, "root");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", mine, out);
	return mine == out ? 0 : 1;
}
