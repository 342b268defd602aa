// SPDX-License-Identifier: GPL-2.0-or-later
// A jthread that looks at its stop token itself, and is told to stop without its mutex.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <stop_token>
#include <string>
#include <thread>

class Mailer {
public:
	Mailer() : thread_([this](std::stop_token stop) { run(stop); }) {}
	~Mailer() { close(); }
	void send(std::string text)
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			outbox_.push(std::move(text));
		}
		changed_.notify_one();
	}
	void close()
	{
		if (!thread_.joinable())
			return;
		thread_.request_stop();
		changed_.notify_all();
		thread_.join();
	}
	int sent() const { return sent_; }

private:
	void run(std::stop_token stop)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		for (;;) {
#ifdef FIXED
			changed_.wait(lock, stop, [this] { return !outbox_.empty(); });
#else
			while (outbox_.empty() && !stop.stop_requested())
				changed_.wait(lock);
#endif
			if (outbox_.empty())
				return;
			outbox_.pop();
			sent_++;
		}
	}

	std::mutex mutex_;
	std::condition_variable_any changed_;
	std::queue<std::string> outbox_;
	int sent_ = 0;
	std::jthread thread_;
};

int main()
{
	Mailer mailer;
	mailer.send("hello");
	mailer.close();
	return mailer.sent() == 1 ? 0 : 1;
}
