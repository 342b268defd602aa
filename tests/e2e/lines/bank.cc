/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two mutexes, each right by itself, but not for the same map. */
#include <cassert>
#include <future>
#include <map>
#include <mutex>
#include <string>

struct Account {
	int balance = 100;
};

struct Bank {
	std::mutex accounts_mutex, log_mutex;
	std::map<std::string, Account> accounts;
	std::string log;

	void open(const std::string &who)
	{
		std::lock_guard<std::mutex> guard(accounts_mutex);
		accounts.emplace(who, Account{});
	}

	void transfer(const std::string &from, const std::string &to, int n)
	{
		std::lock_guard<std::mutex> guard(log_mutex);
		accounts[from].balance -= n; /* SHOWN: writes Bank::open() */
		accounts[to].balance += n;
		log += from + to;
	}

	int total()
	{
		std::lock_guard<std::mutex> guard(accounts_mutex);
		int sum = 0;

		for (auto &entry : accounts)
			sum += entry.second.balance; /* SHOWN: reads Bank::open() */
		return sum;
	}
};

int main()
{
	Bank bank;

	bank.open("a");
	bank.open("b");
	auto done = std::async(std::launch::async, [&] { bank.transfer("a", "b", 9); }); /* THREAD: std::async running */
	const int sum = bank.total();

	done.get();
	assert(sum == 200);
}
