/* SPDX-License-Identifier: GPL-2.0-or-later */
// A thread leaves the barrier and still trusts what it has seen before.
#include <barrier>
#include <cassert>
#include <thread>

namespace {

std::barrier<> barrier(2);
volatile int part[2];

void first()
{
	part[0] = 1;
	barrier.arrive_and_wait();
}

void second()
{
	if (part[0]) {
		(void)barrier.arrive();
	} else {
		barrier.arrive_and_drop();
		assert(part[0] == 0);
	}
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
