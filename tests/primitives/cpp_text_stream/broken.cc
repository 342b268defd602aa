// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads write to a stream in memory without a lock. Where the next character goes is known to a buffer in libstdc++.so.
#include <cassert>
#include <sstream>
#include <thread>

static std::ostringstream text;

static void say(const char *what)
{
	text << what;
}

int main()
{
	std::thread a(say, "one"), b(say, "three");

	a.join();
	b.join();
	assert(text.str().size() == 8);
}
