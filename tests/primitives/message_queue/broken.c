/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver does not wait. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static int queue;

struct message {
	long type;
	int value;
};

static void *receive(void *arg)
{
	struct message m = {0};

	(void)arg;
	assert(msgrcv(queue, &m, sizeof(m.value), 0, IPC_NOWAIT) == sizeof(m.value));
	return NULL;
}

int main(void)
{
	const struct message m = {1, 7};
	pthread_t thread;

	queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	if (queue < 0)
		return 77;
	pthread_create(&thread, NULL, receive, NULL);
	assert(msgsnd(queue, &m, sizeof(m.value), 0) == 0);
	pthread_join(thread, NULL);
	msgctl(queue, IPC_RMID, NULL);
	return 0;
}
