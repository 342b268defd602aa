// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that depend on each other: who finishes the last one that a job waits for, runs it.
// Bug: the count of what a job waits for is lowered and then read again, by two threads.
#include <atomic>
#include <cassert>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

class Job {
public:
	Job(std::string name, std::function<void()> work) : name_(std::move(name)), work_(std::move(work))
	{
	}

	void before(Job &later)
	{
		followers_.push_back(&later);
		later.missing_++;
	}

	// Runs it, and what can run after it.
	void run()
	{
		work_();
		runs_++;
		for (Job *follower : followers_)
			if (follower->one_less())
				follower->run();
	}

	int runs() const
	{
		return runs_;
	}

	const std::string &name() const
	{
		return name_;
	}

private:
	// True: nothing is missing any more.
	bool one_less()
	{
#ifdef FIXED
		return --missing_ == 0;
#else
		--missing_;
		return missing_ == 0;
#endif
	}

	const std::string name_;
	const std::function<void()> work_;
	std::vector<Job *> followers_;
	std::atomic<int> missing_{ 0 };
	std::atomic<int> runs_{ 0 };
};

class Graph {
public:
	Job &add(const std::string &name, std::function<void()> work)
	{
		jobs_.push_back(std::make_unique<Job>(name, std::move(work)));
		return *jobs_.back();
	}

	bool each_ran_once() const
	{
		for (const auto &job : jobs_)
			if (job->runs() != 1)
				return false;
		return true;
	}

private:
	std::vector<std::unique_ptr<Job>> jobs_;
};

} // namespace

int main()
{
	Graph graph;
	std::atomic<int> compiled{ 0 };
	std::atomic<int> linked{ 0 };
	Job &parser = graph.add("parser.o", [&] { compiled++; });
	Job &lexer = graph.add("lexer.o", [&] { compiled++; });
	Job &program = graph.add("program", [&] { linked = compiled.load(); });

	parser.before(program);
	lexer.before(program);
	std::thread one(&Job::run, &parser), two(&Job::run, &lexer);

	one.join();
	two.join();
	assert(linked == 2);
	assert(graph.each_ran_once());
	return 0;
}
