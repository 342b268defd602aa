/* SPDX-License-Identifier: GPL-2.0-or-later */
// One line asks for two blocks, for one of them by way of the library: they have one name,
// and no line of the program has called main.
#include <cassert>
#include <memory>
#include <pthread.h>
#include <vector>

static long *own, *made;

static void *count(void *)
{
	++*own;
	++*made;
	return nullptr;
}

int main()
{
	pthread_t threads[2];
	std::vector<long> room;
	void (std::vector<long>::*volatile add)(const long &) = &std::vector<long>::push_back;

	own = new long(0), (room.*add)(0), made = room.data();
	for (pthread_t &t : threads)
		pthread_create(&t, nullptr, count, nullptr);
	for (pthread_t t : threads)
		pthread_join(t, nullptr);
	assert(*own == 2 && *made == 2);
}
