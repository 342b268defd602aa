// SPDX-License-Identifier: GPL-2.0-or-later
// A pool of connections behind a counting semaphore; timed attempts; a binary semaphore hands over a turn. Not the
// library's: that of libstdc++ 12 reads the value that it will sleep on before it tries to take one. If others take the
// last one and give it back in between, it sleeps although one is there, without vtb, too (and hunt finds it).
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

class semaphore {
public:
	explicit semaphore(int n) : n(n) {}

	void acquire()
	{
		std::unique_lock<std::mutex> held(lock);
		more.wait(held, [this] { return n > 0; });
		n--;
	}

	template <class Duration> bool try_acquire_for(Duration d)
	{
		std::unique_lock<std::mutex> held(lock);
		if (!more.wait_for(held, d, [this] { return n > 0; }))
			return false;
		n--;
		return true;
	}

	void release()
	{
		std::lock_guard<std::mutex> held(lock);
		n++;
		more.notify_one();
	}

private:
	std::mutex lock;
	std::condition_variable more;
	int n;
};

class connections {
public:
	class lease {
	public:
		lease(connections *all, int n) : all(all), n(n) {}
		lease(lease &&other) noexcept : all(std::exchange(other.all, nullptr)), n(other.n) {}
		~lease()
		{
			if (all)
				all->give_back(n);
		}
		int number() const { return n; }

	private:
		connections *all;
		int n;
	};

	lease acquire()
	{
		free.acquire();
		return lease(this, pick());
	}

	bool try_ping()
	{
		if (!free.try_acquire_for(10ms))
			return false;
		lease l(this, pick());
		return true;
	}

private:
	int pick()
	{
		std::lock_guard<std::mutex> held(lock);
		for (int i = 0; i < 2; i++)
			if (!taken[i]) {
				taken[i] = true;
				return i;
			}
		assert(!"more leases than connections");
		return -1;
	}

	void give_back(int n)
	{
		{
			std::lock_guard<std::mutex> held(lock);
			assert(taken[n]);
			taken[n] = false;
		}
		free.release();
	}

	semaphore free{2};
	std::mutex lock;
	std::array<bool, 2> taken{};
};

int main()
{
	connections pool;
	std::atomic<int> inside{0}, most{0}, served{0};
	std::vector<std::thread> clients;

	for (int i = 0; i < 3; i++)
		clients.emplace_back([&] {
			auto l = pool.acquire();
			int now = ++inside;
			int old = most.load();
			while (now > old && !most.compare_exchange_weak(old, now)) {
			}
			served++;
			inside--;
		});
	pool.try_ping();
	for (auto &t : clients)
		t.join();
	assert(served == 3 && most <= 2 && pool.try_ping());

	semaphore ping{1}, pong{0};
	int turn = 0;
	std::thread other([&] {
		for (int i = 0; i < 2; i++) {
			pong.acquire();
			assert(turn == 2 * i + 1);
			turn++;
			ping.release();
		}
	});
	for (int i = 0; i < 2; i++) {
		ping.acquire();
		assert(turn == 2 * i);
		turn++;
		pong.release();
	}
	other.join();
	assert(turn == 4);
}
