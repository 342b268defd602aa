/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One fills the queue, another says that it is over: workers that look at that first leave what is in the queue. */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

class Jobs {
public:
	void add(int job)
	{
		std::lock_guard<std::mutex> held(mutex_);
		jobs_.push(job);
		changed_.notify_one();
	}
	void close()
	{
		std::lock_guard<std::mutex> held(mutex_);
		closed_ = true;
		changed_.notify_all();
	}
	bool next(int &job)
	{
		std::unique_lock<std::mutex> held(mutex_);

		changed_.wait(held, [this] { return closed_ || !jobs_.empty(); });
#ifdef FIXED
		if (jobs_.empty())
			return false;
#else
		if (closed_)
			return false;
#endif
		job = jobs_.front();
		jobs_.pop();
		return true;
	}

private:
	std::mutex mutex_;
	std::condition_variable changed_;
	std::queue<int> jobs_;
	bool closed_ = false;
};

int main()
{
	Jobs jobs;
	int sum = 0;
	std::thread worker([&] {
		int job;

		while (jobs.next(job))
			sum += job;
	});
	std::thread fills([&] {
		jobs.add(1);
		jobs.add(2);
	});

	fills.join();
	jobs.close();
	worker.join();
	assert(sum == 3);
	return 0;
}
