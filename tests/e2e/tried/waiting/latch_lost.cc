// SPDX-License-Identifier: GPL-2.0-or-later
// A latch whose count is changed without the mutex: the waiter may miss the last notification.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Latch {
public:
	explicit Latch(int n) : left_(n) {}
	void arrive()
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		if (--left_ == 0)
			zero_.notify_all();
	}
	void wait()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		while (left_ > 0)
			zero_.wait(lock);
	}

private:
	std::atomic<int> left_;
	std::mutex mutex_;
	std::condition_variable zero_;
};

int main()
{
	Latch latch(2);
	std::vector<std::thread> workers;
	for (int i = 0; i < 2; i++)
		workers.emplace_back([&latch] { latch.arrive(); });
	latch.wait();
	for (auto &w : workers)
		w.join();
}
