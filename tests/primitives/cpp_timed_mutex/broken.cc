/* SPDX-License-Identifier: GPL-2.0-or-later */
// A lock that is taken to be got in time.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

std::timed_mutex mutex;
int counter;

void add()
{
	bool locked = mutex.try_lock_for(std::chrono::milliseconds(100));

	assert(locked);
	counter++;
	mutex.unlock();
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
	return 0;
}
