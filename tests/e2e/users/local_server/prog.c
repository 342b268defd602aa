// SPDX-License-Identifier: GPL-2.0-or-later
// A server on a Unix socket with a thread for each connection, and clients in the same process; SO_RCVTIMEO.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENTS 2

static struct sockaddr_un place = { .sun_family = AF_UNIX };
static socklen_t place_size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void read_all(int fd, void *to, size_t n)
{
	char *at = to;

	while (n) {
		ssize_t got = recv(fd, at, n, 0);

		assert(got > 0);
		at += got;
		n -= (size_t)got;
	}
}

static void *connection(void *arg)
{
	int fd = (int)(long)arg, numbers[2], sum;

	read_all(fd, numbers, sizeof(numbers));
	sum = numbers[0] + numbers[1];
	assert(send(fd, &sum, sizeof(sum), MSG_NOSIGNAL) == sizeof(sum));
	close(fd);
	pthread_mutex_lock(&lock);
	served++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *serve(void *arg)
{
	int listener = *(int *)arg;
	pthread_t threads[CLIENTS];

	for (int i = 0; i < CLIENTS; i++) {
		int fd = accept(listener, NULL, NULL);

		assert(fd >= 0);
		assert(pthread_create(&threads[i], NULL, connection, (void *)(long)fd) == 0);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	return NULL;
}

static void *client(void *arg)
{
	struct timeval limit = { .tv_sec = 5 };
	int numbers[2] = { *(int *)arg, 100 }, sum, fd;

	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
	assert(connect(fd, (struct sockaddr *)&place, place_size) == 0);
	assert(send(fd, &numbers[0], sizeof(int), 0) == sizeof(int));
	assert(send(fd, &numbers[1], sizeof(int), 0) == sizeof(int));
	read_all(fd, &sum, sizeof(sum));
	assert(sum == numbers[0] + 100);
	close(fd);
	return NULL;
}

int main(void)
{
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), numbers[CLIENTS];
	pthread_t server, clients[CLIENTS];

	assert(listener >= 0);
	/* an abstract name that the kernel chooses */
	assert(bind(listener, (struct sockaddr *)&place, sizeof(sa_family_t)) == 0);
	place_size = sizeof(place);
	assert(getsockname(listener, (struct sockaddr *)&place, &place_size) == 0);
	assert(listen(listener, CLIENTS) == 0);
	assert(pthread_create(&server, NULL, serve, &listener) == 0);
	for (int i = 0; i < CLIENTS; i++) {
		numbers[i] = i;
		assert(pthread_create(&clients[i], NULL, client, &numbers[i]) == 0);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	pthread_join(server, NULL);
	close(listener);
	assert(served == CLIENTS);
	return 0;
}
