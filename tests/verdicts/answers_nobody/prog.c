/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Client and server of one connection are threads, and the server listens at any address of both families: who waits
 * for the answer waits for a thread, which has missed what it waits for, and for nobody outside. */
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;

static void *serves(void *listener)
{
	const int connection = accept(*(int *)listener, NULL, NULL);
	char question;

	if (read(connection, &question, 1) != 1)
		return NULL;
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&loaded, &lock);
	pthread_mutex_unlock(&lock);
	return (void *)(long)write(connection, "a", 1);
}

static void *loads(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&loaded);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
	struct sockaddr_in there = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int listener = socket(AF_INET6, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), only = 0;
	socklen_t size = sizeof(any);
	pthread_t t[2];
	char answer;

	setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
	if (bind(listener, (struct sockaddr *)&any, size) || listen(listener, 1))
		return 77;
	getsockname(listener, (struct sockaddr *)&any, &size);
	there.sin_port = any.sin6_port;
	if (connect(client, (struct sockaddr *)&there, sizeof(there)) || write(client, "q", 1) != 1)
		return 77;
	pthread_create(&t[0], NULL, serves, &listener);
	pthread_create(&t[1], NULL, loads, NULL);
	if (read(client, &answer, 1) != 1)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
