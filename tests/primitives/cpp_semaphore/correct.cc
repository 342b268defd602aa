/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::counting_semaphore.
#include <cassert>
#include <semaphore>
#include <thread>

namespace {

std::counting_semaphore<2> items(0);
std::binary_semaphore gate(1);
int counter;

void first()
{
	gate.acquire();
	counter++;
	gate.release();
	items.release(2);
}

void second()
{
	items.acquire();
	items.acquire();
	gate.acquire();
	counter++;
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
