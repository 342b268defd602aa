/* SPDX-License-Identifier: GPL-2.0-or-later */
// A table made on first use without a guard.
#include <cassert>
#include <thread>

namespace {

int made;

struct Table {
	int size = 64;

	Table() { made++; }
};

Table *volatile instance;

Table &table()
{
	if (!instance)
		instance = new Table;
	return *instance;
}

void first()
{
	table();
}

void second()
{
	table();
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(made == 1);
	return 0;
}
