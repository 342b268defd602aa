/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that takes a third of a second, and leaves a byte in a file when it is over. */
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static int x, y;

static void *run(void *unused)
{
	(void)unused;
	x++;
	y = x;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b, c;
	int fd;

	for (unsigned long i = 0; i < 400000000ul; i++)
		__asm__ volatile("" : "+r"(i)); /* no access: nothing to hook */
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_create(&c, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	return fd >= 0 && write(fd, "x", 1) != 1;
}
