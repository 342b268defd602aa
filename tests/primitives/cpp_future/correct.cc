/* SPDX-License-Identifier: GPL-2.0-or-later */
// A promise and its future.
#include <cassert>
#include <future>
#include <thread>

namespace {

std::promise<int> promise;
std::future<int> future;

void first()
{
	promise.set_value(7);
}

void second()
{
	assert(future.get() == 7);
}

} // namespace

int main()
{
	future = promise.get_future();
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	return 0;
}
