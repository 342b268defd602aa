/* SPDX-License-Identifier: GPL-2.0-or-later */
// A notification without a predicate is lost if it comes first.
#include <condition_variable>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
std::condition_variable_any changed;

void first()
{
	std::shared_lock<std::shared_mutex> lock(mutex);

	changed.wait(lock);
}

void second()
{
	std::unique_lock<std::shared_mutex> lock(mutex);

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
