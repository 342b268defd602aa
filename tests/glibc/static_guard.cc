/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function's static object is made once, also if the first attempt throws; those that come meanwhile wait. */
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex lock;
static int attempts, made, thrown, wrong;

struct Thing {
	int value = 0;
	Thing()
	{
		{
			std::lock_guard<std::mutex> guard(lock);
			if (attempts++ == 0)
				throw std::runtime_error("the first attempt");
		}
		std::this_thread::yield();
		value = 42;
		std::lock_guard<std::mutex> guard(lock);
		made++;
	}
};

static Thing &thing()
{
	static Thing it;
	return it;
}

static void work()
{
	for (int i = 0; i < 2; i++) {
		try {
			const int value = thing().value;
			std::lock_guard<std::mutex> guard(lock);
			wrong += value != 42;
		} catch (const std::exception &) {
			std::lock_guard<std::mutex> guard(lock);
			thrown++;
		}
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(work);
	for (auto &t : threads)
		t.join();
	printf("attempts %d, made %d, thrown %d, wrong %d\n", attempts, made, thrown, wrong);
	return 0;
}
