// SPDX-License-Identifier: GPL-2.0-or-later
// A pool of three threads that takes functions from a queue, as many programs have one, and a future for each result.
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class pool {
	std::mutex lock;
	std::condition_variable more;
	std::deque<std::function<void()>> queue;
	bool closed = false;
	std::vector<std::thread> threads;

	void serve()
	{
		for (;;) {
			std::unique_lock<std::mutex> held(lock);
			more.wait(held, [this] { return closed || !queue.empty(); });
			if (queue.empty())
				return;
			auto next = std::move(queue.front());
			queue.pop_front();
			held.unlock();
			next();
		}
	}

public:
	explicit pool(int n)
	{
		for (int i = 0; i < n; i++)
			threads.emplace_back([this] { serve(); });
	}

	std::future<int> put(std::function<int()> what)
	{
		auto task = std::make_shared<std::packaged_task<int()>>(std::move(what));
		auto result = task->get_future();
		{
			std::lock_guard<std::mutex> held(lock);
			queue.emplace_back([task] { (*task)(); });
		}
		more.notify_one();
		return result;
	}

	~pool()
	{
		{
			std::lock_guard<std::mutex> held(lock);
			closed = true;
		}
		more.notify_all();
		for (auto &t : threads)
			t.join();
	}
};

int main()
{
	std::vector<std::future<int>> results;
	int sum = 0;

	pool three(3);
	for (int i = 0; i < 6; i++)
		results.push_back(three.put([i] { return i * i; }));
	for (auto &r : results)
		sum += r.get();
	return sum != 55;
}
