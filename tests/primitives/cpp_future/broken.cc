/* SPDX-License-Identifier: GPL-2.0-or-later */
// A future that is looked at before it is ready.
#include <cassert>
#include <chrono>
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
	assert(future.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
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
