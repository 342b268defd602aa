/* SPDX-License-Identifier: GPL-2.0-or-later */
// The two ends of a range are atomic each, but they belong together.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> low{0}, high{0};

void shift()
{
	high.store(10);
	low.store(10);
}

void check()
{
	const int from = low.load();
	const int to = high.load();

	assert(to - from == 0);
}

} // namespace

int main()
{
	std::thread checker(check);
	std::thread shifter(shift);

	checker.join();
	shifter.join();
	return 0;
}
