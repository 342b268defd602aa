/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::atomic::wait and notify.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> word{0};
int value;

void first()
{
	value = 7;
	word.store(1);
	word.notify_one();
}

void second()
{
	word.wait(0);
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
