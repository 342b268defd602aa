/* SPDX-License-Identifier: GPL-2.0-or-later */
// thread_local objects with destructors, and an exception that crosses frames.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

namespace {

std::atomic<int> alive{0};

struct Own {
	int value = 1;

	Own() { alive++; }
	~Own() { alive--; }
};

thread_local Own own;

int risky(int n)
{
	if (n == 0)
		throw std::runtime_error("end");
	return risky(n - 1) + 1;
}

void use()
{
	own.value++;
	assert(own.value == 2);
	try {
		risky(3);
	} catch (const std::runtime_error &) {
		own.value++;
	}
	assert(own.value == 3);
}

void first()
{
	use();
}

void second()
{
	use();
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(alive == 0);
	return 0;
}
