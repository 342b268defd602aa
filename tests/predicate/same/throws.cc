/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An exception that nobody catches, of the program's own and of the library's; and one that is caught. */
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

static int x, caught;
static std::string text = "ab";

static int look()
{
	if (HOW == 2)
		return text.at(static_cast<size_t>(x));
	if (x == 3)
		throw std::runtime_error("three");
	return x;
}

int main()
{
	std::thread a([] { x = 1; }), b([] { x = 3; });

	a.join();
	b.join();
	try {
		look();
	} catch (const std::logic_error &) {
		if (HOW == 2)
			throw;
	} catch (const std::exception &) {
		if (HOW == 1)
			throw;
		caught = 1;
	}
	if (caught)
		std::abort();
	return 0;
}
