// SPDX-License-Identifier: GPL-2.0-or-later
// The worker tests the flag, then waits; the stopper sets it and notifies without the mutex in between.
#include <condition_variable>
#include <mutex>
#include <thread>

class Ticker {
public:
	void start()
	{
		thread_ = std::thread([this] { run(); });
	}
	void stop()
	{
#ifdef FIXED
		{
			std::lock_guard<std::mutex> lock(mutex_);
			stop_ = true;
		}
#else
		stop_ = true;
#endif
		tick_.notify_one();
		thread_.join();
	}

private:
	void run()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		while (!stop_)
			tick_.wait(lock);
	}
	std::mutex mutex_;
	std::condition_variable tick_;
	bool stop_ = false;
	std::thread thread_;
};

int main()
{
	Ticker ticker;
	ticker.start();
	ticker.stop();
}
