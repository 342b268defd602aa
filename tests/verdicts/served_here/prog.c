/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server waits for more clients while two threads that serve take locks in a circle: no client can end that. */
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t users = PTHREAD_MUTEX_INITIALIZER, rooms = PTHREAD_MUTEX_INITIALIZER;
static int answers;

static void *accepts(void *listener)
{
	return (void *)(long)accept(*(int *)listener, NULL, NULL);
}

static void *by_user(void *arg)
{
	pthread_mutex_lock(&users);
	pthread_mutex_lock(&rooms);
	answers++;
	pthread_mutex_unlock(&rooms);
	pthread_mutex_unlock(&users);
	return arg;
}

static void *by_room(void *arg)
{
	pthread_mutex_lock(&rooms);
	pthread_mutex_lock(&users);
	answers++;
	pthread_mutex_unlock(&users);
	pthread_mutex_unlock(&rooms);
	return arg;
}

int main(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(here);
	pthread_t server, serve[2];

	if (bind(listener, (struct sockaddr *)&here, size) || listen(listener, 1))
		return 77;
	getsockname(listener, (struct sockaddr *)&here, &size);
	pthread_create(&server, NULL, accepts, &listener);
	pthread_create(&serve[0], NULL, by_user, NULL);
	pthread_create(&serve[1], NULL, by_room, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(serve[i], NULL);
	connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&here, size);
	pthread_join(server, NULL);
	return 0;
}
