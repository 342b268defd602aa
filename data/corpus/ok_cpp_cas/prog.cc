/* SPDX-License-Identifier: GPL-2.0-or-later */
// Correct: a maximum kept by a compare-and-swap loop.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> highest{0};

void offer(int value)
{
	int seen = highest.load();

	while (seen < value && !highest.compare_exchange_weak(seen, value))
		;
}

} // namespace

int main()
{
	std::thread first(offer, 3);
	std::thread second(offer, 5);

	first.join();
	second.join();
	assert(highest.load() == 5);
	return 0;
}
