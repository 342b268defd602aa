// SPDX-License-Identifier: GPL-2.0-or-later
// Shutdown sets the flag; a submitter that has tested it already still pushes, and its job is never done.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

class Executor {
public:
	Executor() : worker_([this] { run(); }) {}
	~Executor()
	{
		close();
		worker_.join();
	}
	bool submit(std::packaged_task<int()> task)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		if (closed_)
			return false;
#else
		if (closed_)
			return false;
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		tasks_.push_back(std::move(task));
		wake_.notify_one();
		return true;
	}
	void close()
	{
		std::lock_guard<std::mutex> lock(mutex_);
		closed_ = true;
		wake_.notify_one();
	}

private:
	void run()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		for (;;) {
			wake_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
			if (tasks_.empty())
				return;
			auto task = std::move(tasks_.front());
			tasks_.pop_front();
			lock.unlock();
			task();
			lock.lock();
		}
	}
	std::mutex mutex_;
	std::condition_variable wake_;
	std::deque<std::packaged_task<int()>> tasks_;
	std::atomic<bool> closed_{ false };
	std::thread worker_;
};

int main()
{
	Executor executor;
	std::thread client([&] {
		std::packaged_task<int()> task([] { return 42; });
		auto answer = task.get_future();
		if (executor.submit(std::move(task)) && answer.get() != 42)
			std::puts("wrong");
	});
	executor.close();
	client.join();
}
