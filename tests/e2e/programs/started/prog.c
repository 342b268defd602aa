/* SPDX-License-Identifier: BSD-2-Clause */
/* started LOG: correct if whoever started it has left "ready" in ./made and a second line in LOG. It adds a third. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static int lines_of(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = 0, c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return f ? n : -1;
}

int main(int argc, char **argv)
{
	pthread_t one, two;
	char word[16] = "";
	const int fd = open("made", O_RDONLY);

	if (argc < 2 || fd < 0 || read(fd, word, 5) != 5 || strcmp(word, "ready") || lines_of(argv[1]) != 2)
		return 9;
	pthread_create(&one, NULL, work, NULL);
	pthread_create(&two, NULL, work, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	const int log = open(argv[1], O_WRONLY | O_APPEND);

	if (log < 0 || write(log, "third\n", 6) != 6)
		return 8;
	return done == 2 ? 0 : 7;
}
