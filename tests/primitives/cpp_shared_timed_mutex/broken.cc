/* SPDX-License-Identifier: GPL-2.0-or-later */
// A lock for readers does not exclude other readers, who write here.
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_timed_mutex mutex;
int counter;

void add()
{
	std::shared_lock<std::shared_timed_mutex> lock(mutex, std::chrono::hours(1));

	if (lock)
		counter++;
	else
		add();
}

void first()
{
	add();
}

void second()
{
	add();
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(counter == 2);
	return 0;
}
