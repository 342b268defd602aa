#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unseen_ways.py BIN_DIR CLANGXX: code with loops that nothing is seen to enter, where exceptions land (a pool of packaged tasks without optimisation). What
matters to a failure is looked up in it, and comes to an end."""
import shlex

from e2e import Place, check, hooked, main

POOL = """#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
	std::mutex m;
	std::condition_variable cv;
	std::deque<std::packaged_task<int()>> queue;
	bool stop = false;
	std::vector<std::thread> threads;
	void loop()
	{
		for (;;) {
			std::packaged_task<int()> task;
			{
				std::unique_lock l(m);
				cv.wait(l, [&] { return stop || !queue.empty(); });
				if (stop)
					return;
				task = std::move(queue.front());
				queue.pop_front();
			}
			task();
		}
	}

public:
	explicit Pool(int n)
	{
		for (int i = 0; i < n; i++)
			threads.emplace_back([this] { loop(); });
	}
	std::future<int> submit(int x)
	{
		std::packaged_task<int()> task([x] { return x * x; });
		auto f = task.get_future();
		{
			std::lock_guard l(m);
			queue.push_back(std::move(task));
		}
		cv.notify_one();
		return f;
	}
	~Pool()
	{
		{
			std::lock_guard l(m);
			stop = true;
		}
		cv.notify_all();
		for (auto &t : threads)
			t.join();
	}
};

int main()
{
	std::vector<std::future<int>> results;
	int sum = 0;

	{
		Pool pool(2);
		for (int i = 0; i < 3; i++)
			results.push_back(pool.submit(i));
	}
	for (auto &f : results)
		sum += f.get();
	return sum != 5;
}
"""


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("pool.cc"), "w", encoding="utf-8") as f:
            f.write(POOL)
        place.run(*hooked("tsan", shlex.split(compiler)), "-std=c++20", "-w", "-g", "-O0", "-o", "pool", "pool.cc", "-pthread", "-latomic", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--time=10", "--", "./pool", timeout=60, expect=1)
        check("future_error" in ran.out and "cause" in ran.out, "the failure is explained", ran)


main(test)
