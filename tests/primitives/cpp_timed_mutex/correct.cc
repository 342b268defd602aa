/* SPDX-License-Identifier: GPL-2.0-or-later */
// Who does not get the lock in time tries again.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

std::timed_mutex mutex;
int counter;

void add()
{
	while (!mutex.try_lock_for(std::chrono::milliseconds(100))) {
	}
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
	assert(counter == 2);
	return 0;
}
