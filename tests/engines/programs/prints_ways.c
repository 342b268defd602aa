/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads print in all the ways there are, look at what they have printed, and print what cannot be read.
 *   prints_ways            some lines
 *   prints_ways much       more than is kept in memory
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define LINES 150
#define LENGTH 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int much;
static char line[LENGTH + 1];

static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(1);
}

static void say_parts(const char *name)
{
	struct iovec parts[3] = {{(void *)name, strlen(name)}, {NULL, 0}, {" in parts\n", 10}};

	if (writev(1, parts, 3) != (ssize_t)(strlen(name) + 10))
		_exit(1);
}

/* How much there is by now, and how it begins. */
static void look(void)
{
	struct stat st;
	char text[200], first[12] = "";

	fstat(1, &st);
	if (pread(1, first, 10, 0) < 0)
		first[0] = '?';
	snprintf(text, sizeof(text), "%ld bytes, \"%.5s\"\n", (long)st.st_size, first);
	say(2, text);
}

/* One page, and then none: what can be read is printed. */
static void say_half(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[100];
	ssize_t r;

	memset(page, 'h', 4095);
	page[4095] = '\n';
	mprotect(page + 4096, 4096, PROT_NONE);
	r = write(1, page + 4000, 200);
	snprintf(text, sizeof(text), "half of it: %zd\n", r);
	say(1, text);
	r = write(1, page + 5000, 7);
	snprintf(text, sizeof(text), "nothing: %zd, %s\n", r, strerror(errno));
	say(1, text);
	munmap(page, 8192);
}

static void *prints(void *name)
{
	say(1, name);
	say_parts(name);
	pthread_mutex_lock(&lock);
	look();
	printf("%s by stdio\n", (char *)name);
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		printf("%s by stdio, and from deep inside of it, line %d\n", (char *)name, i);
	for (int i = 0; i < much; i++)
		say(i % 2 + 1, line);
	pthread_mutex_unlock(&lock);
	say_half();
	look();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	memset(line, 'l', LENGTH);
	line[LENGTH - 1] = '\n';
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	much = argc > 1 ? LINES : 0;
	pthread_create(&t[0], NULL, prints, "this");
	pthread_create(&t[1], NULL, prints, "that");
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	look();
	return 0;
}
