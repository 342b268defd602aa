/* SPDX-License-Identifier: GPL-2.0-or-later */
// The word is changed and nobody is notified.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> word{0};

void first()
{
	word.store(1);
}

void second()
{
	word.wait(0);
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
