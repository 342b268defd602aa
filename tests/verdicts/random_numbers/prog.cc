/* SPDX-License-Identifier: GPL-2.0-or-later */
// The exit status of the failure hangs on random numbers of all kinds, and which thread draws first on the schedule: with the same schedule
// it must be the same failure.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <random>
#include <sys/random.h>
#include <unistd.h>

static unsigned drawn[2];
static int done;

static unsigned draw()
{
	unsigned a = 0, b = 0;
	int fd = open("/dev/urandom", O_RDONLY);
	std::random_device device;

	if (fd < 0 || read(fd, &a, sizeof(a)) != sizeof(a) || getrandom(&b, sizeof(b), 0) != sizeof(b))
		std::abort();
	close(fd);
	return a ^ b ^ device() ^ arc4random();
}

static void *work(void *arg)
{
	drawn[(long)arg] = draw();
	done = done + 1; // lost if the other comes between
	return nullptr;
}

int main()
{
	pthread_t threads[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], nullptr, work, (void *)i);
	for (pthread_t t : threads)
		pthread_join(t, nullptr);
	return done == 2 ? 0 : 1 + (int)((drawn[0] ^ 3 * drawn[1]) % 200);
}
