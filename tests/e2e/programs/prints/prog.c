/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads print a line each, in two pieces, as often as the second argument says; the first says how. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int with_write, unlocked, times;

static void piece(const char *text)
{
	if (with_write) {
		if (write(STDOUT_FILENO, text, strlen(text)) < 0)
			_exit(2);
	} else if (unlocked) {
		fputs_unlocked(text, stdout);
	} else if (strchr(text, '\n')) {
		fputs(text, stdout);
	} else {
		printf("%s%.1f", text, 0.5);
	}
}

static void *print(void *arg)
{
	(void)arg;
	for (int i = 0; i < times; i++) {
		piece("ab");
		piece("cd\n");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc != 3)
		return 2;
	with_write = strcmp(argv[1], "write") == 0;
	unlocked = strcmp(argv[1], "unlocked") == 0;
	times = atoi(argv[2]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, print, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("end\n");
	return 0;
}
