/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::mutex, and a recursive and a timed one.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::recursive_mutex again;
std::timed_mutex timed;
int counter;

void first()
{
	std::lock_guard<std::mutex> guard(mutex);

	counter++;
}

void second()
{
	std::lock_guard<std::recursive_mutex> outer(again);
	std::lock_guard<std::recursive_mutex> inner(again);
	std::unique_lock<std::timed_mutex> hour(timed, std::chrono::hours(1));
	std::lock_guard<std::mutex> guard(mutex);

	counter++;
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
