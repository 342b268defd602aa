// SPDX-License-Identifier: GPL-2.0-or-later
// A pool of threads with a queue of tasks and futures, as most projects have one; results, exceptions and shutdown.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

class thread_pool {
public:
	explicit thread_pool(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			workers.emplace_back([this] { work(); });
	}

	~thread_pool()
	{
		{
			std::lock_guard<std::mutex> held(lock);
			closed = true;
		}
		more.notify_all();
		for (auto &t : workers)
			t.join();
	}

	thread_pool(const thread_pool &) = delete;
	thread_pool &operator=(const thread_pool &) = delete;

	template <class F, class... Args> auto submit(F &&f, Args &&...args) -> std::future<std::invoke_result_t<F, Args...>>
	{
		using result = std::invoke_result_t<F, Args...>;
		auto task = std::make_shared<std::packaged_task<result()>>(
			std::bind(std::forward<F>(f), std::forward<Args>(args)...));
		auto future = task->get_future();
		{
			std::lock_guard<std::mutex> held(lock);
			if (closed)
				throw std::runtime_error("submit on a closed pool");
			tasks.emplace_back([task] { (*task)(); });
		}
		more.notify_one();
		return future;
	}

	void wait_idle()
	{
		std::unique_lock<std::mutex> held(lock);
		idle.wait(held, [this] { return tasks.empty() && !busy; });
	}

private:
	void work()
	{
		std::unique_lock<std::mutex> held(lock);
		for (;;) {
			more.wait(held, [this] { return closed || !tasks.empty(); });
			if (tasks.empty())
				return;
			auto task = std::move(tasks.front());
			tasks.pop_front();
			busy++;
			held.unlock();
			task();
			held.lock();
			if (!--busy && tasks.empty())
				idle.notify_all();
		}
	}

	std::mutex lock;
	std::condition_variable more, idle;
	std::deque<std::function<void()>> tasks;
	unsigned busy = 0;
	bool closed = false;
	std::vector<std::thread> workers;
};

static int divide(int a, int b)
{
	if (!b)
		throw std::domain_error("division by zero");
	return a / b;
}

int main()
{
	thread_pool pool(3);
	std::vector<std::future<int>> parts;
	std::vector<int> numbers(40);

	std::iota(numbers.begin(), numbers.end(), 1);
	for (int i = 0; i < 4; i++)
		parts.push_back(pool.submit([&numbers, i] {
			return std::accumulate(numbers.begin() + i * 10, numbers.begin() + (i + 1) * 10, 0);
		}));
	auto fails = pool.submit(divide, 1, 0);
	int sum = 0;
	for (auto &part : parts)
		sum += part.get();
	assert(sum == 820);
	bool thrown = false;
	try {
		fails.get();
	} catch (const std::domain_error &) {
		thrown = true;
	}
	assert(thrown);
	pool.wait_idle();
	assert(pool.submit(divide, 84, 2).get() == 42);
}
