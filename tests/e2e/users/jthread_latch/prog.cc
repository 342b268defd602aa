// SPDX-License-Identifier: GPL-2.0-or-later
// jthreads that meet at a latch and a barrier. No semaphore: that of libstdc++ 12 can sleep for ever (permits/prog.cc).
#include <barrier>
#include <cassert>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

int main()
{
	std::latch ready(2);
	std::barrier round(2);
	std::mutex one;
	int sum = 0;
	{
		std::vector<std::jthread> all;
		for (int i = 0; i < 2; i++)
			all.emplace_back([&] {
				ready.arrive_and_wait();
				round.arrive_and_wait();
				std::lock_guard<std::mutex> held(one);
				sum++;
			});
	}
	assert(sum == 2);
}
