/* SPDX-License-Identifier: GPL-2.0-or-later */
// A writer with a shared lock.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int left, right;

void first()
{
	std::shared_lock<std::shared_mutex> lock(mutex);

	left = 1;
	right = 1;
}

void second()
{
	std::shared_lock<std::shared_mutex> lock(mutex);

	assert(left == right);
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
