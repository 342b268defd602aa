// SPDX-License-Identifier: GPL-2.0-or-later
// Two accounts, each with its lock; transfers in opposite directions.
#include <mutex>
#include <thread>

struct Account {
	std::mutex lock;
	long balance = 100;
};

static void transfer(Account &from, Account &to, long amount)
{
#ifdef FIXED
	std::scoped_lock both(from.lock, to.lock);
#else
	std::lock_guard<std::mutex> first(from.lock);
	std::lock_guard<std::mutex> second(to.lock);
#endif
	from.balance -= amount;
	to.balance += amount;
}

int main()
{
	Account a, b;
	std::thread one(transfer, std::ref(a), std::ref(b), 10);
	std::thread two(transfer, std::ref(b), std::ref(a), 20);
	one.join();
	two.join();
	return a.balance + b.balance == 200 ? 0 : 1;
}
