// SPDX-License-Identifier: GPL-2.0-or-later
// A page is laid out by a pool of two; each task asks the same pool to measure its text, and waits for that.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
	std::mutex mutex_;
	std::condition_variable some_;
	std::deque<std::function<void()>> tasks_;
	bool over_ = false;
	std::vector<std::thread> threads_;

	void serve()
	{
		for (;;) {
			std::function<void()> task;
			{
				std::unique_lock<std::mutex> lock(mutex_);
				some_.wait(lock, [this] { return over_ || !tasks_.empty(); });
				if (tasks_.empty())
					return;
				task = std::move(tasks_.front());
				tasks_.pop_front();
			}
			task();
		}
	}

public:
	explicit Pool(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads_.emplace_back([this] { serve(); });
	}

	~Pool()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			over_ = true;
		}
		some_.notify_all();
		for (auto &thread : threads_)
			thread.join();
	}

	std::future<int> submit(std::function<int()> what)
	{
		auto task = std::make_shared<std::packaged_task<int()>>(std::move(what));
		std::future<int> result = task->get_future();
		{
			std::lock_guard<std::mutex> lock(mutex_);
			tasks_.emplace_back([task] { (*task)(); });
		}
		some_.notify_one();
		return result;
	}
};

static int measure(int words)
{
	return 6 * words;
}

static int lay_out(Pool &pool, int words)
{
#ifdef FIXED
	(void)pool;
	const int width = measure(words);
#else
	std::future<int> measured = pool.submit([words] { return measure(words); });
	const int width = measured.get();
#endif
	return width / 60 + 1;
}

int main()
{
	Pool pool(2);
	std::future<int> first = pool.submit([&pool] { return lay_out(pool, 30); });
	std::future<int> second = pool.submit([&pool] { return lay_out(pool, 5); });
	const int lines = first.get() + second.get();

	assert(lines == 5);
}
