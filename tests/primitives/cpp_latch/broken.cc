/* SPDX-License-Identifier: GPL-2.0-or-later */
// A latch that is counted down before the value is there.
#include <cassert>
#include <latch>
#include <thread>

namespace {

std::latch ready(1);
volatile int value;

void first()
{
	ready.count_down();
	value = 7;
}

void second()
{
	if (ready.try_wait())
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
