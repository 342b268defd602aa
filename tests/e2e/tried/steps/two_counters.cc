// SPDX-License-Identifier: GPL-2.0-or-later
// Progress of jobs in two counters, each of them atomic; a monitor takes both.
#include <atomic>
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

class Progress {
public:
	explicit Progress(int jobs) : waiting_(jobs) {}
	void finish()
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		--waiting_;
		++done_;
	}
	std::pair<int, int> snapshot() const
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		const int waiting = waiting_;
		const int done = done_;
		return { waiting, done };
	}

private:
	std::atomic<int> waiting_;
	std::atomic<int> done_{ 0 };
	mutable std::mutex mutex_;
};

static void work(Progress &progress, int jobs)
{
	for (int i = 0; i < jobs; i++)
		progress.finish();
}

int main()
{
	constexpr int jobs = 2;
	Progress progress(jobs);
	std::thread worker(work, std::ref(progress), jobs);
	auto [waiting, done] = progress.snapshot();
	assert(waiting + done == jobs);
	worker.join();
}
