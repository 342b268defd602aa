// SPDX-License-Identifier: GPL-2.0-or-later
// Static objects own blocks that the library makes before main: not optimised, as most people test.
// Another line makes a block of its own and one that is shared.
#pragma GCC optimize("O0")
#include <cassert>
#include <map>
#include <memory>
#include <string>
#include <thread>

struct Counter {
	int hits = 0;
};

static std::map<std::string, Counter> by_name = { { "get", {} } };
static std::shared_ptr<Counter> total = std::make_shared<Counter>();
static Counter *plain;
static std::shared_ptr<Counter> other;

static void serve()
{
	by_name["get"].hits++;
	total->hits++;
	plain->hits++;
}

int main()
{
	plain = new Counter; other = std::make_shared<Counter>();
	std::thread a(serve), b(serve);
	a.join();
	b.join();
	return 0;
}
