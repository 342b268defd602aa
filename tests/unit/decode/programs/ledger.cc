/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts behind std::mutex, orders handed over in a deque with a condition variable, kinds of account by virtual calls; no exceptions. */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct account {
	explicit account(long opening) : balance(opening)
	{
	}
	virtual ~account() = default;
	virtual void pay(long amount)
	{
		balance += amount;
	}
	long balance;
};

struct savings : account {
	explicit savings(long opening) : account(opening)
	{
	}
	void pay(long amount) override
	{
		balance += amount + amount / 10;
		payments++;
	}
	int payments = 0;
};

struct order {
	int from, to;
	long amount;
};

static std::mutex lock;
static std::condition_variable filled;
static std::deque<order> orders;
static std::vector<std::unique_ptr<account>> accounts;
static std::map<int, std::string> names;
static bool closed;

static void serve()
{
	for (;;) {
		std::unique_lock<std::mutex> guard(lock);

		filled.wait(guard, [] { return closed || !orders.empty(); });
		if (orders.empty())
			return;
		const order o = orders.front();
		orders.pop_front();
		accounts[static_cast<size_t>(o.from)]->pay(-o.amount);
		accounts[static_cast<size_t>(o.to)]->pay(o.amount);
		names[o.to] += 'x';
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 6;
	std::vector<std::thread> threads;
	long sum = 0;

	for (int i = 0; i < 4; i++) {
		if (i % 2)
			accounts.push_back(std::make_unique<savings>(100));
		else
			accounts.push_back(std::make_unique<account>(100));
	}
	for (int i = 0; i < 2; i++)
		threads.emplace_back(serve);
	for (int i = 0; i < rounds; i++) {
		std::lock_guard<std::mutex> guard(lock);
		orders.push_back({i % 4, (i + 1) % 4, i + 1L});
		filled.notify_one();
	}
	{
		std::lock_guard<std::mutex> guard(lock);
		closed = true;
		filled.notify_all();
	}
	for (auto &t : threads)
		t.join();
	for (const auto &a : accounts)
		sum += a->balance;
	std::printf("%ld %zu\n", sum, names.size());
	return 0;
}
