/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One writer and one reader at a moodycamel ring (libreaderwriterqueue-dev). */
#include <readerwriterqueue/readerwriterqueue.h>

#include <cassert>
#include <thread>

int main()
{
	moodycamel::BlockingReaderWriterQueue<int> queue(2);
	int sum = 0;
	std::thread writer([&] {
		for (int i = 1; i <= 6; i++)
			queue.enqueue(i);
	});
	std::thread reader([&] {
		int x;

		for (int i = 0; i < 6; i++) {
			queue.wait_dequeue(x);
			sum += x;
		}
	});

	writer.join();
	reader.join();
	assert(sum == 21);
}
