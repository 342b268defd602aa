/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two producers and two consumers at a moodycamel queue (libconcurrentqueue-dev): every element arrives once. */
#include <concurrentqueue/blockingconcurrentqueue.h>

#include <cassert>
#include <thread>
#include <vector>

int main()
{
	moodycamel::BlockingConcurrentQueue<int> queue(8);
	std::atomic<int> sum{0};
	std::vector<std::thread> threads;

	for (int p = 0; p < 2; p++)
		threads.emplace_back([&, p] {
			for (int i = 1; i <= 3; i++)
				queue.enqueue(10 * p + i);
		});
	for (int c = 0; c < 2; c++)
		threads.emplace_back([&] {
			int x;

			for (int i = 0; i < 3; i++) {
				queue.wait_dequeue(x);
				sum += x;
			}
		});
	for (auto &thread : threads)
		thread.join();
	assert(sum == 6 + 36);
}
