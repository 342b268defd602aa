/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each gauge has a lock of its own, which its methods take; nothing holds the two together. */
#include <cassert>
#include <mutex>
#include <thread>

class Gauge
{
public:
	void add(int n)
	{
		std::lock_guard<std::mutex> lock(m_);
		value_ += n;
	}
	int get() const
	{
		std::lock_guard<std::mutex> lock(m_);
		return value_;
	}

private:
	mutable std::mutex m_;
	int value_ = 0;
};

class Jobs
{
public:
	void submit() { waiting_.add(1); }
	void start()
	{
		waiting_.add(-1);
		running_.add(1);
	}
	int total() const { return waiting_.get() + running_.get(); }

private:
	Gauge waiting_, running_;
};

int main()
{
	Jobs jobs;

	jobs.submit();
	std::thread starter([&] { jobs.start(); });
	const int seen = jobs.total();
	starter.join();
	assert(seen == 1);
}
