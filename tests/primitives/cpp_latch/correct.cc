/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::latch.
#include <cassert>
#include <latch>
#include <thread>

namespace {

std::latch ready(1);
int value;

void first()
{
	value = 7;
	ready.count_down();
}

void second()
{
	ready.wait();
	assert(value == 7);
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	return 0;
}
