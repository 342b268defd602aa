// SPDX-License-Identifier: GPL-2.0-or-later
// std::atomic's wait and notify, atomic_flag, atomic_ref and a small event that is set once.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

class once_event {
public:
	void set()
	{
		state.store(true, std::memory_order_release);
		state.notify_all();
	}
	void wait() const { state.wait(false, std::memory_order_acquire); }

private:
	std::atomic<bool> state{false};
};

class turnstile {
public:
	void wait_for(int turn)
	{
		for (int now = current.load(); now != turn; now = current.load())
			current.wait(now);
	}
	void next()
	{
		current.fetch_add(1);
		current.notify_all();
	}

private:
	std::atomic<int> current{0};
};

int main()
{
	once_event ready;
	turnstile turns;
	std::vector<int> order;
	std::atomic_flag lock = ATOMIC_FLAG_INIT;
	int config = 0, plain = 0;
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([&, i] {
			ready.wait();
			assert(config == 7);
			turns.wait_for(2 - i);
			order.push_back(i);
			turns.next();
			while (lock.test_and_set(std::memory_order_acquire))
				lock.wait(true, std::memory_order_relaxed);
			std::atomic_ref<int>(plain).fetch_add(1);
			lock.clear(std::memory_order_release);
			lock.notify_one();
		});
	config = 7;
	ready.set();
	for (auto &t : threads)
		t.join();
	assert((order == std::vector<int>{2, 1, 0}) && plain == 3);
}
