// SPDX-License-Identifier: GPL-2.0-or-later
// Actors: each has a mailbox and a thread; messages are variants; a supervisor asks and waits for answers.
#include <cassert>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

template <class Message> class actor {
public:
	explicit actor(std::function<bool(Message &&)> behaviour)
	    : behaviour(std::move(behaviour)), thread([this] { run(); })
	{
	}
	~actor() { thread.join(); }

	void tell(Message m)
	{
		std::lock_guard<std::mutex> held(lock);
		box.push(std::move(m));
		come.notify_one();
	}

private:
	void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> held(lock);
			come.wait(held, [this] { return !box.empty(); });
			Message m = std::move(box.front());
			box.pop();
			held.unlock();
			if (!behaviour(std::move(m)))
				return;
		}
	}

	std::function<bool(Message &&)> behaviour;
	std::mutex lock;
	std::condition_variable come;
	std::queue<Message> box;
	std::thread thread;
};

struct deposit {
	int amount;
};
struct withdraw {
	int amount;
	std::promise<bool> reply;
};
struct balance {
	std::promise<int> reply;
};
struct stop {};
using message = std::variant<deposit, withdraw, balance, stop>;

class account {
public:
	bool operator()(message &&m)
	{
		return std::visit([this](auto &&one) { return take(one); }, m);
	}

private:
	bool take(deposit &d)
	{
		money += d.amount;
		return true;
	}
	bool take(withdraw &w)
	{
		bool enough = money >= w.amount;
		if (enough)
			money -= w.amount;
		w.reply.set_value(enough);
		return true;
	}
	bool take(balance &b)
	{
		b.reply.set_value(money);
		return true;
	}
	bool take(stop &) { return false; }

	int money = 0;
};

static bool pay(actor<message> &from, actor<message> &to, int amount)
{
	withdraw w{amount, {}};
	auto done = w.reply.get_future();

	from.tell(std::move(w));
	if (!done.get())
		return false;
	to.tell(deposit{amount});
	return true;
}

static int ask(actor<message> &who)
{
	balance b;
	auto answer = b.reply.get_future();

	who.tell(std::move(b));
	return answer.get();
}

int main()
{
	actor<message> a{account()}, b{account()};

	a.tell(deposit{100});
	std::thread other([&] { pay(b, a, 10); });
	bool paid = pay(a, b, 30);
	other.join();
	assert(paid && ask(a) + ask(b) == 100);
	a.tell(stop{});
	b.tell(stop{});
}
