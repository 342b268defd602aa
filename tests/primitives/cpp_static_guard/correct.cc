/* SPDX-License-Identifier: GPL-2.0-or-later */
// A function-local static.
#include <cassert>
#include <thread>

namespace {

int made;

struct Table {
	int size = 64;

	Table() { made++; }
};

Table &table()
{
	static Table instance;

	return instance;
}

void first()
{
	assert(table().size == 64);
}

void second()
{
	assert(table().size == 64);
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
