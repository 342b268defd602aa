// SPDX-License-Identifier: GPL-2.0-or-later
// A promise that is kept at the end of its thread wakes who waits for it, whenever that begins to wait.
#include <cassert>
#include <future>
#include <thread>

int main()
{
	std::promise<int> promise;
	std::future<int> kept = promise.get_future();
	std::thread thread([&promise] { promise.set_value_at_thread_exit(1); });
	const int value = kept.get();

	thread.join();
	assert(value == 1);
	return 0;
}
