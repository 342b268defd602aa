/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients reserve room and give it back; who finds none returns early. */
#include <pthread.h>

#define CLIENTS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int room = 1;

static int reserve(void)
{
	pthread_mutex_lock(&lock);
	if (room == 0) {
#ifdef FIXED
		pthread_mutex_unlock(&lock);
#endif
		return -1;
	}
	room--;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void *client(void *arg)
{
	if (reserve() < 0)
		return arg;
	pthread_mutex_lock(&lock);
	room++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t clients[CLIENTS];

	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, client, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	return 0;
}
