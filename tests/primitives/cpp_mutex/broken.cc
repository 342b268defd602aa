/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::unique_lock given back too early.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int counter;

void first()
{
	std::unique_lock<std::mutex> guard(mutex);
	const int seen = counter;

	guard.unlock();
	counter = seen + 1;
}

void second()
{
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
