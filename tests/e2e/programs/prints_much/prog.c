/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prints_much HOW MB STATUS: two threads; then so many MB by write(2), stdio or a child; then this exit status. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (1 << 20)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *thread(void *arg)
{
	pthread_mutex_lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void print(const char *how, const char *block)
{
	if (!strcmp(how, "stdio"))
		fwrite(block, 1, BLOCK, stdout);
	else if (write(STDOUT_FILENO, block, BLOCK) != BLOCK)
		exit(9);
}

int main(int argc, char **argv)
{
	static char block[BLOCK];
	char command[100];
	pthread_t threads[2];

	if (argc != 4)
		return 8;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	snprintf(command, sizeof(command), "head -c %dM /dev/zero | tr '\\0' x", atoi(argv[2]));
	if (!strcmp(argv[1], "child"))
		return system(command) ? 7 : atoi(argv[3]);
	for (int i = 0; i < atoi(argv[2]); i++) {
		memset(block, 'a' + i % 26, sizeof(block));
		print(argv[1], block);
	}
	return fflush(stdout) ? 9 : atoi(argv[3]);
}
