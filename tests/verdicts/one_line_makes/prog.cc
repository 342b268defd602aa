// SPDX-License-Identifier: GPL-2.0-or-later
// One line makes all accounts: the report must tell two of them apart, and name what lies in the nodes of a map.
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace bank {

class Bank {
	struct Account {
		explicit Account(long b) : balance(b) {}
		std::mutex mutex;
		long balance;
	};

public:
	void open(int id)
	{
		accounts_.emplace(id, std::make_unique<Account>(100));
		visits_.emplace(id, 0);
	}

	void transfer(int from, int to)
	{
		visits_.at(1)++;
		std::lock_guard<std::mutex> one(accounts_.at(from)->mutex), other(accounts_.at(to)->mutex);
		accounts_.at(from)->balance--;
		accounts_.at(to)->balance++;
	}

private:
	std::map<int, std::unique_ptr<Account>> accounts_;
	std::map<int, int> visits_;
};

} // namespace bank

int main()
{
	bank::Bank bank;

	bank.open(1);
	bank.open(2);
	std::thread here([&] { bank.transfer(1, 2); }), there([&] { bank.transfer(2, 1); });
	here.join();
	there.join();
	return 0;
}
