/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that takes a tenth of a second at least, and leaves a byte in a file when it is over. Its classes are many
 * thousands, so that no hunt for them ends in a minute. */
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
	pthread_t threads[6];
	int fd;

	for (unsigned long i = 0; i < 400000000ul; i++)
		__asm__ volatile("" : "+r"(i)); /* no access: nothing to hook */
	for (int i = 0; i < 6; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	return fd >= 0 && write(fd, "x", 1) != 1;
}
