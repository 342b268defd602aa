// SPDX-License-Identifier: GPL-2.0-or-later
// A thread that runs callbacks when their time has come; timers can be cancelled and repeat.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

class timer_queue {
public:
	using clock = std::chrono::steady_clock;
	using id = uint64_t;

	timer_queue() : runner([this] { run(); }) {}

	~timer_queue()
	{
		{
			std::lock_guard<std::mutex> held(lock);
			stopped = true;
		}
		changed.notify_one();
		runner.join();
	}

	id after(clock::duration delay, std::function<void()> call, clock::duration period = {})
	{
		std::lock_guard<std::mutex> held(lock);
		id n = ++last;
		auto due = clock::now() + delay;
		bool earliest = queue.empty() || due < queue.begin()->first;
		queue.emplace(due, entry{n, std::move(call), period});
		if (earliest)
			changed.notify_one();
		return n;
	}

	bool cancel(id n)
	{
		std::lock_guard<std::mutex> held(lock);
		for (auto at = queue.begin(); at != queue.end(); ++at)
			if (at->second.n == n) {
				queue.erase(at);
				return true;
			}
		return false;
	}

private:
	struct entry {
		id n;
		std::function<void()> call;
		clock::duration period;
	};

	void run()
	{
		std::unique_lock<std::mutex> held(lock);
		while (!stopped) {
			if (queue.empty()) {
				changed.wait(held);
				continue;
			}
			auto due = queue.begin()->first;
			if (clock::now() < due) {
				changed.wait_until(held, due);
				continue;
			}
			auto next = std::move(queue.begin()->second);
			queue.erase(queue.begin());
			auto call = next.call;
			if (next.period > clock::duration::zero())
				queue.emplace(due + next.period, std::move(next));
			held.unlock();
			call();
			held.lock();
		}
	}

	std::mutex lock;
	std::condition_variable changed;
	std::multimap<clock::time_point, entry> queue;
	id last = 0;
	bool stopped = false;
	std::thread runner;
};

int main()
{
	std::atomic<int> ticks{0};
	std::mutex lock;
	std::condition_variable done;
	std::vector<int> order;
	{
		timer_queue timers;

		auto note = [&](int n) {
			std::lock_guard<std::mutex> held(lock);
			order.push_back(n);
			done.notify_all();
		};
		timers.after(300ms, [&] { note(3); });
		timers.after(100ms, [&] { note(1); });
		timers.after(200ms, [&] { note(2); });
		auto never = timers.after(10h, [] { assert(!"cancelled"); });
		auto beats = timers.after(50ms, [&] { ticks++; }, 50ms);
		std::unique_lock<std::mutex> held(lock);
		done.wait(held, [&] { return order.size() == 3; });
		held.unlock();
		assert(timers.cancel(never));
		timers.cancel(beats);
	}
	assert(order.size() == 3);
}
