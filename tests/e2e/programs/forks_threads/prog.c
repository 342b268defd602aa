/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child with two threads and a counter without a lock. The program itself does not look at how the child ended. With an argument: it sends the
 * child what it needs only after fork, and the child answers. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int counter, there[2], back[2];

static void *add(void *arg)
{
	char step = 1;

	if (arg)
		assert(read(there[0], &step, 1) == 1);
	counter = counter + step;
	return NULL;
}

static int child(void *talks)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, talks);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return write(back[1], "x", 1) != 1;
}

int main(int argc, char **argv)
{
	char answer;

	(void)argv;
	assert(pipe(there) == 0 && pipe(back) == 0);
	if (fork() == 0)
		return child(argc > 1 ? &counter : NULL);
	close(back[1]);
	if (argc > 1)
		assert(write(there[1], "\1", 1) == 1 && write(there[1], "\1", 1) == 1);
	while (read(back[0], &answer, 1) == 1)
		;
	wait(NULL);
	return 0;
}
