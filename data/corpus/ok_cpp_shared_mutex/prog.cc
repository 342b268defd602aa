/* SPDX-License-Identifier: GPL-2.0-or-later */
// Correct: std::shared_mutex around a pair, a function-local static and std::call_once.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

struct Pair {
	std::shared_mutex mutex;
	int left = 0, right = 0;
};

std::once_flag once;
int prepared;

Pair &pair()
{
	static Pair instance;

	return instance;
}

void write_pair()
{
	std::call_once(once, [] { prepared++; });
	std::unique_lock<std::shared_mutex> lock(pair().mutex);

	pair().left++;
	pair().right++;
}

void read_pair()
{
	std::call_once(once, [] { prepared++; });
	std::shared_lock<std::shared_mutex> lock(pair().mutex);

	assert(pair().left == pair().right);
}

} // namespace

int main()
{
	std::thread writer(write_pair);
	std::thread reader(read_pair);

	writer.join();
	reader.join();
	assert(prepared == 1);
	return 0;
}
