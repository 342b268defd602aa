/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A server is to be ended by closing the socket at which it waits for clients: it goes on waiting. */
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int server;

static void *serve(void *arg)
{
	int client;

	(void)arg;
	while ((client = accept(server, NULL, NULL)) >= 0)
		close(client);
	return NULL;
}

int main(void)
{
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	pthread_t thread;

	server = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(server, (const struct sockaddr *)&any, sizeof(any.sun_family));
	listen(server, 1);
	pthread_create(&thread, NULL, serve, NULL);
	close(server);
	pthread_join(thread, NULL);
	return 0;
}
