// SPDX-License-Identifier: GPL-2.0-or-later
// A consumer that does not test again after its wait.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

template <typename T> class Channel {
public:
	void put(T value)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		items_.push(std::move(value));
		some_.notify_one();
	}
	T take()
	{
		std::unique_lock<std::mutex> lock(mutex_);
#ifdef FIXED
		while (items_.empty())
#else
		if (items_.empty())
#endif
			some_.wait(lock);
		assert(!items_.empty());
		T value = std::move(items_.front());
		items_.pop();
		return value;
	}

private:
	std::mutex mutex_;
	std::condition_variable some_;
	std::queue<T> items_;
};

int main()
{
	Channel<int> channel;
	int got[2];
	std::thread one([&] { got[0] = channel.take(); });
	std::thread two([&] { got[1] = channel.take(); });
	channel.put(1);
	channel.put(2);
	one.join();
	two.join();
	return got[0] + got[1] == 3 ? 0 : 1;
}
