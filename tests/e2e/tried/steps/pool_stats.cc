// SPDX-License-Identifier: GPL-2.0-or-later
// A thread pool whose statistics are kept without its lock.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
	explicit Pool(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads_.emplace_back([this] { work(); });
	}
	~Pool() { stop(); }
	void give(std::function<void()> job)
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			queue_.push_back(std::move(job));
		}
		ready_.notify_one();
	}
	void stop()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			stopping_ = true;
		}
		ready_.notify_all();
		for (auto &t : threads_)
			if (t.joinable())
				t.join();
	}
	int done() const { return done_; }

private:
	void work()
	{
		for (;;) {
			std::function<void()> job;
			{
				std::unique_lock<std::mutex> lock(mutex_);
				ready_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
				if (queue_.empty())
					return;
				job = std::move(queue_.front());
				queue_.pop_front();
#ifdef FIXED
				done_++;
#endif
			}
			job();
#ifndef FIXED
			done_++;
#endif
		}
	}
	std::mutex mutex_;
	std::condition_variable ready_;
	std::deque<std::function<void()>> queue_;
	std::vector<std::thread> threads_;
	bool stopping_ = false;
	int done_ = 0;
};

int main()
{
	Pool pool(2);
	for (int i = 0; i < 2; i++)
		pool.give([] {});
	pool.stop();
	assert(pool.done() == 2);
}
