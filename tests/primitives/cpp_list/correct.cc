// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads move a node of a list under one lock. The pointers are changed by functions in libstdc++.so.
#include <cassert>
#include <iterator>
#include <list>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::list<int> items{1, 2, 3, 4};
static std::shared_mutex lock;

static void use(int)
{
	std::unique_lock<std::shared_mutex> guard(lock);

	items.splice(items.begin(), items, std::next(items.begin(), 2));
}

int main()
{
	std::thread a(use, 1), b(use, 2);
	size_t n = 0;

	a.join();
	b.join();
	for (auto i = items.rbegin(); i != items.rend() && n <= items.size(); ++i)
		n++;
	assert(n == items.size());
}
