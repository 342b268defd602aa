// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads append to a string under a lock. In C++17, what appends is a function in libstdc++.so.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

static std::string text;
static std::mutex lock;

static void say(const char *what)
{
	std::lock_guard<std::mutex> guard(lock);

	text += what;
}

int main()
{
	std::thread a(say, "one"), b(say, "three");

	a.join();
	b.join();
	assert(text.size() == 8);
}
