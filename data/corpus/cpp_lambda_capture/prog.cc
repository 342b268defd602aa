/* SPDX-License-Identifier: GPL-2.0-or-later */
// The lambda refers to a local variable that is set only after the thread has been started.
#include <cassert>
#include <thread>

namespace {

// Takes a moment, without any visible operation, so that a free run passes.
void warm_up()
{
	for (int i = 0; i < 2000000; i++)
		__asm__ volatile("");
}

} // namespace

int main()
{
	int size = 0;
	std::thread reader([&size] {
		warm_up();
		assert(size == 512);
	});

	size = 512;
	reader.join();
	return 0;
}
