/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::barrier with a completion function.
#include <barrier>
#include <cassert>
#include <thread>

namespace {

int rounds;

struct Count {
	void operator()() noexcept { rounds++; }
};

std::barrier<Count> barrier(2, Count{});
int part[2];

void first()
{
	part[0] = 1;
	barrier.arrive_and_wait();
	assert(part[1] == 2);
}

void second()
{
	part[1] = 2;
	barrier.arrive_and_wait();
	assert(part[0] == 1);
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(rounds == 1);
	return 0;
}
