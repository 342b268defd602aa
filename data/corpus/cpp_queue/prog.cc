/* SPDX-License-Identifier: GPL-2.0-or-later */
// A closed queue: `closed` is set and notified without the mutex, so a consumer can miss it between its test and its wait.
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
std::array<int, 4> items;
unsigned filled, taken;
std::atomic<bool> closed{false};

void close_queue()
{
	closed = true;
	changed.notify_one();
}

void consume()
{
	std::unique_lock<std::mutex> lock(mutex);

	for (;;) {
		while (taken < filled)
			taken++;
		if (closed)
			return;
		changed.wait(lock);
	}
}

void produce()
{
	{
		std::lock_guard<std::mutex> lock(mutex);

		items[filled++] = 1;
	}
	changed.notify_one();
	close_queue();
}

} // namespace

int main()
{
	std::thread producer(produce);
	std::thread consumer(consume);

	producer.join();
	consumer.join();
	return taken == 1 ? 0 : 1;
}
