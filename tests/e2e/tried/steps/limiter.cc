// SPDX-License-Identifier: GPL-2.0-or-later
// A rate limiter: a token is looked for, and then taken.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

class Limiter {
public:
	explicit Limiter(int burst) : tokens_(burst) {}
	bool try_take()
	{
#ifdef FIXED
		int left = tokens_.load();
		while (left > 0)
			if (tokens_.compare_exchange_weak(left, left - 1))
				return true;
		return false;
#else
		if (tokens_.load() > 0) {
			tokens_.fetch_sub(1);
			return true;
		}
		return false;
#endif
	}
	void refill(int n) { tokens_.fetch_add(n); }
	int tokens() const { return tokens_.load(); }

private:
	std::atomic<int> tokens_;
};

class Server {
public:
	explicit Server(int burst) : limiter_(burst) {}
	void request()
	{
		if (limiter_.try_take())
			accepted_++;
		else
			refused_++;
	}
	int accepted() const { return accepted_; }
	int refused() const { return refused_; }

private:
	Limiter limiter_;
	std::atomic<int> accepted_{ 0 }, refused_{ 0 };
};

int main()
{
	Server server(1);
	std::vector<std::thread> clients;
	for (int i = 0; i < 2; i++)
		clients.emplace_back([&server] { server.request(); });
	for (auto &c : clients)
		c.join();
	if (server.accepted() != 1) {
		std::fprintf(stderr, "%d requests were accepted, %d refused\n", server.accepted(), server.refused());
		return 1;
	}
}
