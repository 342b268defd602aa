/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::call_once, whose first call throws.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

std::once_flag once;
int calls, tries;

void initialise()
{
	if (tries++ == 0)
		throw std::runtime_error("not yet");
	calls++;
}

void use()
{
	try {
		std::call_once(once, initialise);
	} catch (const std::runtime_error &) {
		std::call_once(once, initialise);
	}
	assert(calls == 1);
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
	assert(tries == 2);
	return 0;
}
