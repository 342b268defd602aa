/* SPDX-License-Identifier: GPL-2.0-or-later */
/* std::scoped_lock takes both or none: correct in any order. */
#include <mutex>
#include <thread>

static std::mutex from, to;
static int moved;

static void there()
{
	std::scoped_lock both(from, to);
	moved++;
}

static void back()
{
	std::scoped_lock both(to, from);
	moved++;
}

int main()
{
	std::thread a(there), b(back);

	a.join();
	b.join();
	return moved == 2 ? 0 : 1;
}
