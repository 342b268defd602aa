/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two std::lock_guards in opposite order. */
#include <mutex>
#include <thread>

static std::mutex from, to;
static int moved;

static void there()
{
	std::lock_guard<std::mutex> first(from);
	std::lock_guard<std::mutex> second(to);
	moved++;
}

static void back()
{
	std::lock_guard<std::mutex> first(to);
	std::lock_guard<std::mutex> second(from);
	moved++;
}

int main()
{
	std::thread a(there), b(back);

	a.join();
	b.join();
	return moved == 2 ? 0 : 1;
}
