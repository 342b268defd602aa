/* SPDX-License-Identifier: GPL-2.0-or-later */
// A wait that ends when a stop is asked for.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

std::stop_source source;
std::mutex mutex;
std::condition_variable_any changed;

void first()
{
	std::stop_token token = source.get_token();
	std::unique_lock<std::mutex> lock(mutex);

	bool ready = changed.wait(lock, token, [] { return false; });

	assert(!ready && token.stop_requested());
}

void second()
{
	source.request_stop();
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
