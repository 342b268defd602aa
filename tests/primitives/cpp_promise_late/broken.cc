// SPDX-License-Identifier: GPL-2.0-or-later
// A promise is kept before its thread ends: what the thread does at its end may come after.
#include <cassert>
#include <future>
#include <thread>

static int ended;

namespace
{
struct ends {
	void begin() {}
	~ends() { ended = 1; }
};
} // namespace

static thread_local ends at_end;

int main()
{
	std::promise<int> promise;
	std::future<int> kept = promise.get_future();
	std::thread thread([&promise] {
		at_end.begin();
		promise.set_value(1);
	});
	const int value = kept.get(), seen = ended;

	thread.join();
	assert(value == seen);
	return 0;
}
