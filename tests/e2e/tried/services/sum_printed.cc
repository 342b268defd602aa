// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads add to a sum and print what they do. What the streams set up when they are used first goes to whoever
// comes first. Bug: nothing makes reading and writing the sum one step.
#include <cassert>
#include <iostream>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int sum;

static void add(int by)
{
#ifdef FIXED
	std::lock_guard<std::mutex> lock(mutex);
#endif
	const int before = sum;

	std::cout << "adding " << by << " to " << before << std::endl;
	std::cerr << "debug: " << by << std::endl;
	sum = before + by;
}

int main()
{
	std::thread one(add, 1), two(add, 2);

	one.join();
	two.join();
	std::cout << "sum " << sum << std::endl;
	assert(sum == 3);
	return 0;
}
