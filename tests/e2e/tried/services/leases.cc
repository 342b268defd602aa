// SPDX-License-Identifier: GPL-2.0-or-later
// A pool of connections. Who finds none leaves a callback, which gets the next one that is given back.
// Bug: who gives one back looks for callbacks before it takes the lock under which callbacks are left.
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

class Connection {
public:
	explicit Connection(int number) : number_(number)
	{
	}

	std::string ask(const std::string &question)
	{
		return question + "@" + std::to_string(number_);
	}

private:
	int number_;
};

using Lease = std::shared_ptr<Connection>;
using Callback = std::function<void(Lease)>;

class ConnectionPool {
public:
	explicit ConnectionPool(int size)
	{
		for (int i = 0; i < size; i++)
			idle_.push_back(std::make_shared<Connection>(i));
	}

	// Calls back at once, or when one comes back.
	void with_connection(Callback callback)
	{
		Lease lease;

		{
			std::lock_guard<std::mutex> lock(mutex_);
			if (idle_.empty()) {
				waiting_.push_back(std::move(callback));
				n_waiting_ = waiting_.size();
				return;
			}
			lease = idle_.back();
			idle_.pop_back();
		}
		callback(std::move(lease));
	}

	void give_back(Lease lease)
	{
		Callback next;

#ifdef FIXED
		{
			std::lock_guard<std::mutex> lock(mutex_);
			if (waiting_.empty()) {
				idle_.push_back(std::move(lease));
				return;
			}
			next = take_callback();
		}
#else
		if (n_waiting_ == 0) {
			std::lock_guard<std::mutex> lock(mutex_);
			idle_.push_back(std::move(lease));
			return;
		}
		{
			std::lock_guard<std::mutex> lock(mutex_);
			next = take_callback();
		}
#endif
		next(std::move(lease));
	}

private:
	Callback take_callback()
	{
		Callback next = std::move(waiting_.front());

		waiting_.pop_front();
		n_waiting_ = waiting_.size();
		return next;
	}

	std::mutex mutex_;
	std::vector<Lease> idle_;
	std::deque<Callback> waiting_;
	size_t n_waiting_ = 0;
};

class Request {
public:
	Request(ConnectionPool &pool, std::string question) : pool_(pool), question_(std::move(question))
	{
	}

	void send()
	{
		pool_.with_connection([this](Lease lease) {
			std::string got = lease->ask(question_);

			pool_.give_back(std::move(lease));
			std::lock_guard<std::mutex> lock(mutex_);
			answer_ = std::move(got);
			answered_.notify_one();
		});
	}

	std::string wait()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		answered_.wait(lock, [this] { return !answer_.empty(); });
		return answer_;
	}

private:
	ConnectionPool &pool_;
	const std::string question_;
	std::mutex mutex_;
	std::condition_variable answered_;
	std::string answer_;
};

} // namespace

int main()
{
	ConnectionPool pool(1);
	Request first(pool, "time"), second(pool, "date");
	std::thread one([&first] { first.send(); });

	second.send();
	second.wait();
	first.wait();
	one.join();
	return 0;
}
