// SPDX-License-Identifier: GPL-2.0-or-later
// Mails are sent by two threads until the sender is destroyed.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Sender {
	std::mutex mutex_;
	std::condition_variable some_;
	std::deque<std::function<void()>> mails_;
	bool over_ = false;
	std::vector<std::thread> threads_;

	void serve()
	{
		for (;;) {
			std::function<void()> mail;
			{
				std::unique_lock<std::mutex> lock(mutex_);
				while (!over_ && mails_.empty())
					some_.wait(lock);
#ifdef FIXED
				if (mails_.empty())
					return;
#else
				if (over_)
					return;
#endif
				mail = std::move(mails_.front());
				mails_.pop_front();
			}
			mail();
		}
	}

public:
	explicit Sender(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads_.emplace_back(&Sender::serve, this);
	}

	~Sender()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			over_ = true;
		}
		some_.notify_all();
		for (auto &thread : threads_)
			thread.join();
	}

	void send(std::function<void()> mail)
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			mails_.push_back(std::move(mail));
		}
		some_.notify_one();
	}
};

int main()
{
	std::atomic<int> sent = 0;

	{
		Sender sender(2);

		for (int i = 0; i < 3; i++)
			sender.send([&sent] { sent++; });
	}
	assert(sent == 3);
}
