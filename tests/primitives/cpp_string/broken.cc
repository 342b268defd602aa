// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads append to a string without a lock. In C++17, what appends is a function in libstdc++.so.
#include <cassert>
#include <string>
#include <thread>

static std::string text;

static void say(const char *what)
{
	text += what;
}

int main()
{
	std::thread a(say, "one"), b(say, "three");

	a.join();
	b.join();
	assert(text.size() == 8);
}
