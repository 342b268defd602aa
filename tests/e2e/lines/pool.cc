/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two producers push to a deque and lose one of their jobs. */
#include <cassert>
#include <deque>
#include <thread>
#include <vector>

namespace
{
template <class Job> class Pool
{
    public:
	void give(Job job)
	{
		queue_.push_back(job); /* SHOWN: queue_ (deque::push_back) */
	}

	std::size_t size() const
	{
		return queue_.size();
	}

    private:
	std::deque<Job> queue_;
};

Pool<int> pool;

struct Producer {
	int job;

	void run()
	{
		pool.give(job);
	}
};
} // namespace

int main()
{
	Producer one{ 1 }, two{ 2 };
	std::vector<std::thread> threads;

	threads.emplace_back(&Producer::run, &one); /* THREAD: 0.0: std::thread running Producer::run, pool.cc: */
	threads.emplace_back(&Producer::run, &two);
	for (auto &thread : threads)
		thread.join();
	assert(pool.size() == 2);
}
