/* SPDX-License-Identifier: GPL-2.0-or-later */
// A binary semaphore started at two, in effect.
#include <cassert>
#include <semaphore>
#include <thread>

namespace {

std::counting_semaphore<2> gate(2);
int counter;

void first()
{
	gate.acquire();
	counter = counter + 1;
	gate.release();
}

void second()
{
	gate.acquire();
	counter = counter + 1;
	gate.release();
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(counter == 2);
	return 0;
}
