/* SPDX-License-Identifier: GPL-2.0-or-later */
// Two customers, one ticket: each atomic operation is fine, the test and the purchase together are not.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> tickets{1};

void buy()
{
	if (tickets.load() > 0)
		tickets.fetch_sub(1);
}

} // namespace

int main()
{
	std::thread first(buy);
	std::thread second(buy);

	first.join();
	second.join();
	assert(tickets.load() == 0);
	return 0;
}
