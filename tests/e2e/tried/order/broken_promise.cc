// SPDX-License-Identifier: GPL-2.0-or-later
// A pool of packaged tasks whose worker leaves as soon as it is told to, with tasks still in the queue.
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

class Pool {
public:
	Pool() : worker_([this] { loop(); }) {}
	~Pool()
	{
		stop();
		worker_.join();
	}
	std::future<int> submit(std::function<int()> work)
	{
		std::packaged_task<int()> task(std::move(work));
		std::future<int> answer = task.get_future();
		{
			std::lock_guard<std::mutex> lock(mutex_);
			tasks_.push_back(std::move(task));
		}
		some_.notify_one();
		return answer;
	}
	void stop()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			stopping_ = true;
		}
		some_.notify_all();
	}

private:
	void loop()
	{
		for (;;) {
			std::packaged_task<int()> task;
			{
				std::unique_lock<std::mutex> lock(mutex_);
				some_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
#ifdef FIXED
				if (tasks_.empty())
					return;
#else
				if (stopping_)
					return;
#endif
				task = std::move(tasks_.front());
				tasks_.pop_front();
			}
			task();
		}
	}

	std::mutex mutex_;
	std::condition_variable some_;
	std::deque<std::packaged_task<int()>> tasks_;
	bool stopping_ = false;
	std::thread worker_;
};

int main()
{
	std::future<int> answer;
	{
		Pool pool;
		answer = pool.submit([] { return 6 * 7; });
	}
	return answer.get() == 42 ? 0 : 1;
}
