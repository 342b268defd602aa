/* SPDX-License-Identifier: GPL-2.0-or-later */
// A destructor of a thread_local updates a plain counter.
#include <cassert>
#include <thread>

namespace {

int ended;

struct Own {
	int value = 1;

	~Own() { ended = ended + 1; }
};

thread_local Own own;

void first()
{
	own.value++;
}

void second()
{
	own.value++;
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(ended == 2);
	return 0;
}
