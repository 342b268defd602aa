/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What it prints, or ("assert") whether it fails, depends on who its parent is: engines differ in that, as they would if a rollback were incomplete. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}

/* A server of vtb has the program's own name. */
static int parent_is_like_me(void)
{
	char path[64], mine[256] = "", parents[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getppid());
	if (readlink(path, parents, sizeof(parents) - 1) < 0 || readlink("/proc/self/exe", mine, sizeof(mine) - 1) < 0)
		return 0;
	return !strcmp(mine, parents);
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argc > 1 && !strcmp(argv[1], "assert"))
		assert(parent_is_like_me());
	printf("%s\n", parent_is_like_me() ? "a child of my own kind" : "a child of somebody else");
	return counter != 2;
}
