/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A once of one's own: done is set before the work is. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct driver {
	const char *name;
	int (*open)(const char *path);
};

static int open_plain(const char *path)
{
	return (int)strlen(path);
}

static struct driver drivers[2];
static atomic_flag started = ATOMIC_FLAG_INIT;
#ifdef FIXED
static pthread_once_t once = PTHREAD_ONCE_INIT;
#endif

static void register_drivers(void)
{
	drivers[0] = (struct driver){ "plain", open_plain };
	drivers[1] = (struct driver){ "raw", open_plain };
}

static void once_only(void)
{
#ifdef FIXED
	pthread_once(&once, register_drivers);
	(void)started;
#else
	if (!atomic_flag_test_and_set(&started))
		register_drivers();
#endif
}

static struct driver *driver_find(const char *name)
{
	once_only();
	for (int i = 0; i < 2; i++)
		if (drivers[i].name && !strcmp(drivers[i].name, name))
			return &drivers[i];
	return NULL;
}

static void *client(void *name)
{
	struct driver *d = driver_find(name);

	assert(d != NULL);
	assert(d->open("/dev/zero") > 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, client, "plain");
	pthread_create(&b, NULL, client, "raw");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
