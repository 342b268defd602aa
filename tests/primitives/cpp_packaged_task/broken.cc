/* SPDX-License-Identifier: GPL-2.0-or-later */
// A result that is taken to be there.
#include <cassert>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace {

std::packaged_task<int()> task([] { return 7; });
std::future<int> result;

void first()
{
	task();
}

void second()
{
	std::future_status status = result.wait_for(std::chrono::seconds(0));

	assert(status == std::future_status::ready);
	assert(result.get() == 7);
}

} // namespace

int main()
{
	result = task.get_future();
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	return 0;
}
