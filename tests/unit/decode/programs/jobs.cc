/* SPDX-License-Identifier: GPL-2.0-or-later */
/* std::thread, std::mutex, virtual calls, exceptions, containers. */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct job {
	virtual ~job() = default;
	virtual int run(int) = 0;
};

struct square : job {
	int run(int x) override
	{
		return x * x;
	}
};

struct picky : job {
	int run(int x) override
	{
		if (x % 4 == 3)
			throw std::runtime_error("three " + std::to_string(x));
		return x;
	}
};

static std::mutex lock;
static std::vector<std::unique_ptr<job>> jobs;
static std::vector<int> results;

static void work(int id, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		int r;

		try {
			r = jobs[static_cast<size_t>(i + id) % jobs.size()]->run(i);
		} catch (const std::runtime_error &e) {
			r = -static_cast<int>(e.what()[0] != 0);
		}
		std::lock_guard<std::mutex> guard(lock);
		results.push_back(r);
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 4;
	std::vector<std::thread> threads;
	long sum = 0;

	jobs.push_back(std::make_unique<square>());
	jobs.push_back(std::make_unique<picky>());
	for (int i = 0; i < 2; i++)
		threads.emplace_back(work, i, rounds);
	for (auto &t : threads)
		t.join();
	for (int r : results)
		sum += r;
	std::printf("%ld\n", sum);
	return results.size() != static_cast<size_t>(2 * rounds);
}
