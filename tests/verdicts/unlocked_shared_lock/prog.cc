// SPDX-License-Identifier: GPL-2.0-or-later
// Lookups share the lock, and each of them writes down when the entry was used last.
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex table_lock;
static long used, value;

static long look_up(long now)
{
	std::shared_lock<std::shared_mutex> shared(table_lock);
	used = now;
	return value;
}

static long age(long now)
{
	std::shared_lock<std::shared_mutex> shared(table_lock);
	return now - used;
}

static void evict()
{
	std::unique_lock<std::shared_mutex> alone(table_lock);
	used = 0;
	value = 0;
}

int main()
{
	long found = 0, idle = 0;
	std::thread reader([&] { found = look_up(7); }), other([&] { idle = age(9); });
	evict();
	reader.join();
	other.join();
	return found == 0 && idle >= 2 ? 0 : 1;
}
