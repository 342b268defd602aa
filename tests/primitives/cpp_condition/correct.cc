/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::condition_variable with a predicate, and wait_for.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
bool ready;

void first()
{
	std::unique_lock<std::mutex> lock(mutex);

	if (!changed.wait_for(lock, std::chrono::seconds(1), [] { return ready; }))
		return;
	assert(ready);
}

void second()
{
	{
		std::lock_guard<std::mutex> lock(mutex);

		ready = true;
	}
	changed.notify_one();
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
