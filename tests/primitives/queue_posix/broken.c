/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A POSIX message queue with room for one: the receiver takes it that its message comes in time. */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static mqd_t queue;

static void *receive(void *arg)
{
	struct timespec until;
	char message[8];

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	assert(mq_timedreceive(queue, message, sizeof(message), NULL, &until) == 1);
	return NULL;
}

int main(void)
{
	struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 8};
	pthread_t thread;
	char name[32];

	snprintf(name, sizeof(name), "/vtb-queue-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &one);
	if (queue < 0)
		return 77;
	mq_unlink(name);
	pthread_create(&thread, NULL, receive, NULL);
	assert(mq_send(queue, "\1", 1, 0) == 0);
	pthread_join(thread, NULL);
	return 0;
}
