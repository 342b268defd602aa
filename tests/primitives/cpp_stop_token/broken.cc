/* SPDX-License-Identifier: GPL-2.0-or-later */
// Between the look at the token and the wait, the stop is asked for and told to nobody.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

std::stop_source source;
std::mutex mutex;
std::condition_variable changed;

void first()
{
	std::stop_token token = source.get_token();
	std::unique_lock<std::mutex> lock(mutex);

	if (!token.stop_requested())
		changed.wait(lock);
}

void second()
{
	source.request_stop();
	changed.notify_one();
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
