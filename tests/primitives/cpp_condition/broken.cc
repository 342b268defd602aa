/* SPDX-License-Identifier: GPL-2.0-or-later */
// A notification without a predicate is lost if it comes first.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;

void first()
{
	std::unique_lock<std::mutex> lock(mutex);

	changed.wait(lock);
}

void second()
{
	std::lock_guard<std::mutex> lock(mutex);

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
