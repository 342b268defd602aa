// SPDX-License-Identifier: GPL-2.0-or-later
// A check and an act that each take the lock themselves: the report must name the lines that call them.
#include <cassert>
#include <mutex>
#include <thread>

class Seats {
public:
	int free() const
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return free_;
	}

	void book(int n)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		free_ -= n;
	}

private:
	mutable std::mutex mutex_;
	int free_ = 3;
};

static Seats seats;

static void customer()
{
	if (seats.free() >= 2)
		seats.book(2);
}

int main()
{
	std::thread a(customer), b(customer);
	a.join();
	b.join();
	assert(seats.free() >= 0);
	return 0;
}
