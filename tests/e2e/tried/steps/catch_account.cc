// SPDX-License-Identifier: GPL-2.0-or-later
// A test with Catch2: two withdrawals, each of which looks whether there is enough.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <mutex>
#include <thread>

class Account {
public:
	explicit Account(long cents) : balance_(cents) {}
	long balance() const
	{
		std::lock_guard<std::mutex> lock(mutex_);
		return balance_;
	}
	bool withdraw(long cents)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		if (balance_ < cents)
			return false;
		balance_ -= cents;
#else
		if (balance() < cents)
			return false;
		change(-cents);
#endif
		return true;
	}
	void change(long cents)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		balance_ += cents;
	}

private:
	mutable std::mutex mutex_;
	long balance_;
};

TEST_CASE("an account is never overdrawn")
{
	Account account(100);
	std::thread one([&account] { account.withdraw(80); });
	std::thread two([&account] { account.withdraw(80); });
	one.join();
	two.join();
	REQUIRE(account.balance() >= 0);
}
