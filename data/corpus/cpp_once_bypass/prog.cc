/* SPDX-License-Identifier: GPL-2.0-or-later */
// call_once is right, but a "fast path" beside it trusts a flag that the initialiser sets too early.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::once_flag once;
std::atomic<bool> ready{false};
std::atomic<int> answer{0};

void initialise()
{
	ready = true;
	answer = 42;
}

void use()
{
	if (!ready)
		std::call_once(once, initialise);
	assert(answer == 42);
}

} // namespace

int main()
{
	std::thread first(use);
	std::thread second(use);

	first.join();
	second.join();
	return 0;
}
