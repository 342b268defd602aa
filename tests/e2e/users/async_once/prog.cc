// SPDX-License-Identifier: GPL-2.0-or-later
// std::async, call_once, a recursive and a shared mutex, thread-locals with destructors.
#include <cassert>
#include <future>
#include <mutex>
#include <shared_mutex>

static std::once_flag once;
static std::shared_mutex shared;
static std::recursive_mutex nested;
static int made, gone, value;

struct local {
	~local()
	{
		std::lock_guard<std::recursive_mutex> held(nested);
		gone++;
	}
	int n = 0;
};
static thread_local local mine;

static int work()
{
	mine.n++;
	std::call_once(once, [] { made++; });
	std::lock_guard<std::recursive_mutex> outer(nested);
	std::lock_guard<std::recursive_mutex> inner(nested);
	{
		std::unique_lock<std::shared_mutex> writes(shared);
		value++;
	}
	std::shared_lock<std::shared_mutex> reads(shared);
	return value;
}

int main()
{
	auto a = std::async(std::launch::async, work), b = std::async(std::launch::async, work);

	assert(a.get() + b.get() >= 3);
	assert(made == 1 && value == 2 && gone <= 2);
}
