/* SPDX-License-Identifier: GPL-2.0-or-later */
// Correct: a queue that is closed under its mutex.
#include <array>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
std::array<int, 4> items;
unsigned filled, taken;
bool closed;

void produce()
{
	{
		std::lock_guard<std::mutex> lock(mutex);

		items[filled++] = 1;
	}
	changed.notify_one();
	{
		std::lock_guard<std::mutex> lock(mutex);

		closed = true;
	}
	changed.notify_one();
}

void consume()
{
	std::unique_lock<std::mutex> lock(mutex);

	for (;;) {
		changed.wait(lock, [] { return taken < filled || closed; });
		if (taken == filled)
			return;
		taken++;
	}
}

} // namespace

int main()
{
	std::thread producer(produce);
	std::thread consumer(consume);

	producer.join();
	consumer.join();
	assert(taken == 1);
	return 0;
}
