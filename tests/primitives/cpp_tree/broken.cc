// SPDX-License-Identifier: GPL-2.0-or-later
// One thread takes a key out of a map, another one goes through it, and only the first takes the lock. A step is a function in libstdc++.so.
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

static std::map<int, int> ages{{1, 10}, {2, 20}, {3, 30}};
static std::mutex lock;

static void leave()
{
	std::lock_guard<std::mutex> guard(lock);

	ages.erase(2);
}

static void sum()
{
	int n = 0;

	for (const auto &entry : ages)
		n += entry.second;
	assert(n == 60 || n == 40);
}

int main()
{
	std::thread a(leave), b(sum);

	a.join();
	b.join();
}
