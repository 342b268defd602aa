/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is freed is what was allocated. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct buffer {
	long head[4];
	char data[32];
};
static struct buffer *volatile buffer;

static void *work(void *arg)
{
	struct buffer *mine = buffer;

	(void)arg;
	mine->data[0] = 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	buffer = calloc(1, sizeof(*buffer));
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	free(buffer);
	return 0;
}
