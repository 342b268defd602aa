// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads write to a stream in memory under a lock. Where the next character goes is known to a buffer in libstdc++.so.
#include <cassert>
#include <mutex>
#include <sstream>
#include <thread>

static std::ostringstream text;
static std::mutex lock;

static void say(const char *what)
{
	std::lock_guard<std::mutex> guard(lock);

	text << what;
}

int main()
{
	std::thread a(say, "one"), b(say, "three");

	a.join();
	b.join();
	assert(text.str().size() == 8);
}
