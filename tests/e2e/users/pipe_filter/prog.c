// SPDX-License-Identifier: GPL-2.0-or-later
// A pipeline within a process: a stage reads lines from a pipe and writes them to the next; poll with several sources.
#include <assert.h>
#include <ctype.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stage {
	FILE *in, *out;
	int lines;
};

static void *upper(void *arg)
{
	struct stage *s = arg;
	char line[64];

	while (fgets(line, sizeof(line), s->in)) {
		for (char *c = line; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		assert(fputs(line, s->out) >= 0);
		s->lines++;
	}
	fclose(s->in);
	fclose(s->out);
	return NULL;
}

static void *feed(void *arg)
{
	FILE *to = arg;

	for (int i = 0; i < 3; i++)
		fprintf(to, "line %d\n", i);
	fclose(to);
	return NULL;
}

static FILE *end(int fd, const char *mode)
{
	FILE *f = fdopen(fd, mode);

	assert(f);
	return f;
}

/* Reads both to their ends, as poll says that there is something. */
static size_t gather(int a, int b, char *text, size_t size)
{
	struct pollfd fds[2] = { { .fd = a, .events = POLLIN }, { .fd = b, .events = POLLIN } };
	size_t n = 0;
	int open = 2;

	while (open) {
		assert(poll(fds, 2, -1) > 0);
		for (int i = 0; i < 2; i++) {
			ssize_t got;

			if (!(fds[i].revents & (POLLIN | POLLHUP)))
				continue;
			got = read(fds[i].fd, text + n, size - 1 - n);
			assert(got >= 0);
			n += (size_t)got;
			if (!got) {
				close(fds[i].fd);
				fds[i].fd = -1;
				open--;
			}
		}
	}
	text[n] = 0;
	return n;
}

int main(void)
{
	int first[2], second[2], direct[2];
	pthread_t feeder, worker, other;
	struct stage stage;
	char text[256];

	assert(pipe(first) == 0 && pipe(second) == 0 && pipe(direct) == 0);
	stage = (struct stage){ .in = end(first[0], "r"), .out = end(second[1], "w") };
	assert(pthread_create(&feeder, NULL, feed, end(first[1], "w")) == 0);
	assert(pthread_create(&other, NULL, feed, end(direct[1], "w")) == 0);
	assert(pthread_create(&worker, NULL, upper, &stage) == 0);
	assert(gather(second[0], direct[0], text, sizeof(text)) == 6 * 7);
	pthread_join(feeder, NULL);
	pthread_join(other, NULL);
	pthread_join(worker, NULL);
	assert(stage.lines == 3 && strstr(text, "LINE 2\n") && strstr(text, "line 2\n"));
	return 0;
}
