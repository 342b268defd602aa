// SPDX-License-Identifier: GPL-2.0-or-later
// A library's scheduler as a static object: its constructor starts threads before main, its destructor ends them after.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

class scheduler {
public:
	explicit scheduler(int n)
	{
		for (int i = 0; i < n; i++)
			threads.emplace_back(&scheduler::work, this);
	}

	~scheduler()
	{
		{
			std::lock_guard<std::mutex> held(lock);
			ending = true;
		}
		more.notify_all();
		for (auto &t : threads)
			t.join();
		if (!tasks.empty() || ran != posted)
			std::abort();
	}

	void post(std::function<void()> task)
	{
		{
			std::lock_guard<std::mutex> held(lock);
			tasks.push(std::move(task));
			posted++;
		}
		more.notify_one();
	}

	static scheduler &shared();

private:
	void work()
	{
		std::unique_lock<std::mutex> held(lock);
		while (true) {
			while (tasks.empty() && !ending)
				more.wait(held);
			if (tasks.empty())
				break;
			auto task = std::move(tasks.front());
			tasks.pop();
			held.unlock();
			task();
			held.lock();
			ran++;
		}
	}

	std::mutex lock;
	std::condition_variable more;
	std::queue<std::function<void()>> tasks;
	int posted = 0, ran = 0;
	bool ending = false;
	std::vector<std::thread> threads;
};

scheduler started_early(2);

struct registers_early {
	registers_early()
	{
		started_early.post([this] { registered = true; });
	}
	std::atomic<bool> registered{false};
} early;

scheduler &scheduler::shared()
{
	static scheduler on_demand(1);
	return on_demand;
}

} // namespace

int main()
{
	std::atomic<int> sum{0};
	std::mutex lock;
	std::condition_variable done;
	int left = 3;

	for (int i = 1; i <= 3; i++)
		(i % 2 ? started_early : scheduler::shared()).post([&, i] {
			sum += i;
			std::lock_guard<std::mutex> held(lock);
			left--;
			done.notify_one();
		});
	std::unique_lock<std::mutex> held(lock);
	done.wait(held, [&] { return !left; });
	assert(sum == 6);
}
