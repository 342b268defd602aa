// SPDX-License-Identifier: GPL-2.0-or-later
// Work stealing: the owner takes jobs from one end of its deque, thieves from the other.
// Bug: the owner takes the last job without asking whether a thief is taking it.
#include <array>
#include <atomic>
#include <cassert>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace
{

using Job = int;

class StealingDeque {
public:
	// By the owner.
	void push(Job job)
	{
		const long at = bottom_.load();

		jobs_[at % jobs_.size()].store(job);
		bottom_.store(at + 1);
	}

	// By the owner: the newest job.
	std::optional<Job> pop()
	{
		const long at = bottom_.load() - 1;

		bottom_.store(at);
		long oldest = top_.load();
		if (oldest > at) { // there was none
			bottom_.store(oldest);
			return std::nullopt;
		}
		const Job job = jobs_[at % jobs_.size()].load();
		if (oldest < at)
			return job;
		// The last one: thieves may want it, too.
#ifdef FIXED
		const bool mine = top_.compare_exchange_strong(oldest, oldest + 1);
#else
		const bool mine = true;
		top_.store(oldest + 1);
#endif
		bottom_.store(at + 1);
		return mine ? std::optional<Job>(job) : std::nullopt;
	}

	// By anybody: the oldest job.
	std::optional<Job> steal()
	{
		long oldest = top_.load();

		if (oldest >= bottom_.load())
			return std::nullopt;
		const Job job = jobs_[oldest % jobs_.size()].load();
		if (!top_.compare_exchange_strong(oldest, oldest + 1))
			return std::nullopt;
		return job;
	}

private:
	std::array<std::atomic<Job>, 8> jobs_{};
	std::atomic<long> top_{ 0 }, bottom_{ 0 };
};

class Ledger {
public:
	void done(Job job)
	{
		times_[job]++;
	}

	int times(Job job) const
	{
		return times_[job];
	}

private:
	std::array<std::atomic<int>, 4> times_{};
};

class Worker {
public:
	Worker(StealingDeque &deque, Ledger &ledger) : deque_(deque), ledger_(ledger)
	{
	}

	void work_off()
	{
		while (auto job = deque_.pop())
			ledger_.done(*job);
	}

	void steal_one()
	{
		if (auto job = deque_.steal())
			ledger_.done(*job);
	}

private:
	StealingDeque &deque_;
	Ledger &ledger_;
};

} // namespace

int main()
{
	StealingDeque deque;
	Ledger ledger;
	Worker owner(deque, ledger), thief(deque, ledger);

	deque.push(1);
	deque.push(2);
	std::thread stealing(&Worker::steal_one, &thief);
	owner.work_off();
	stealing.join();
	assert(ledger.times(1) == 1);
	assert(ledger.times(2) == 1);
	return 0;
}
