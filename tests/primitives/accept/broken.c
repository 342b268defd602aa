/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client does not wait until the server listens. */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static struct sockaddr_in address;

static void *serve(void *arg)
{
	int one;

	(void)arg;
	assert(listen(listener, 1) == 0);
	one = accept(listener, NULL, NULL);
	assert(one >= 0);
	assert(write(one, "x", 1) == 1);
	close(one);
	return NULL;
}

static void *ask(void *arg)
{
	int one = socket(AF_INET, SOCK_STREAM, 0);
	char byte = 0;

	(void)arg;
	assert(one >= 0);
	assert(connect(one, (struct sockaddr *)&address, sizeof(address)) == 0);
	assert(read(one, &byte, 1) == 1 && byte == 'x');
	close(one);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	socklen_t size = sizeof(address);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		return 77;
	pthread_create(&threads[0], NULL, serve, NULL);
	pthread_create(&threads[1], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
