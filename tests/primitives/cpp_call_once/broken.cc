/* SPDX-License-Identifier: GPL-2.0-or-later */
// Two flags for one initialisation.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::once_flag once_a, once_b;
int calls;

void initialise()
{
	const int seen = calls;

	calls = seen + 1;
}

void first()
{
	std::call_once(once_a, initialise);
}

void second()
{
	std::call_once(once_b, initialise);
}

} // namespace

int main()
{
	std::thread a(first);
	std::thread b(second);

	a.join();
	b.join();
	assert(calls == 2);
	return 0;
}
