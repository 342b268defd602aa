/* SPDX-License-Identifier: GPL-2.0-or-later */
// A transfer locks "from" and then "to": two transfers in opposite directions can wait for each other.
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
	std::lock_guard<std::mutex> first(from.mutex);
	std::lock_guard<std::mutex> second(to.mutex);

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
