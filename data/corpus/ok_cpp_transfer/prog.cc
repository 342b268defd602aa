/* SPDX-License-Identifier: GPL-2.0-or-later */
// Correct: std::scoped_lock takes both mutexes without a fixed order and cannot deadlock.
#include <mutex>
#include <thread>

namespace {

struct Account {
	std::mutex mutex;
	long balance = 100;
};

Account checking, savings;

void transfer(Account &from, Account &to, long amount)
{
	std::scoped_lock both(from.mutex, to.mutex);

	from.balance -= amount;
	to.balance += amount;
}

} // namespace

int main()
{
	std::thread there([] { transfer(checking, savings, 10); });
	std::thread back([] { transfer(savings, checking, 20); });

	there.join();
	back.join();
	return checking.balance + savings.balance == 200 ? 0 : 1;
}
