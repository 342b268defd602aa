/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions thrown, caught, rethrown and carried to another thread, with other threads running in between. */
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static int unwound, caught, wrong;
static std::exception_ptr carried;

struct Guard {
	~Guard()
	{
		std::this_thread::yield(); /* others throw while this one unwinds */
		std::lock_guard<std::mutex> guard(lock);
		unwound++;
		wrong += std::uncaught_exceptions() != 1;
	}
};

static void fall(int depth, int number)
{
	Guard guard;

	if (depth == 0)
		throw std::runtime_error("from " + std::to_string(number));
	std::this_thread::yield();
	fall(depth - 1, number);
}

static void work(int number)
{
	try {
		try {
			fall(3, number);
		} catch (const std::logic_error &) {
			std::lock_guard<std::mutex> guard(lock);
			wrong++;
		} catch (const std::exception &e) {
			std::this_thread::yield();
			throw;
		}
	} catch (const std::runtime_error &e) {
		std::this_thread::yield();
		std::lock_guard<std::mutex> guard(lock);
		caught++;
		wrong += e.what() != "from " + std::to_string(number);
		wrong += std::uncaught_exceptions() != 0;
		if (number == 2)
			carried = std::current_exception();
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 1; i <= 3; i++)
		threads.emplace_back(work, i);
	for (auto &t : threads)
		t.join();
	try {
		std::rethrow_exception(carried);
	} catch (const std::exception &e) {
		printf("carried: %s\n", e.what());
	}
	carried = nullptr;
	printf("unwound %d, caught %d, wrong %d\n", unwound, caught, wrong);
	return 0;
}
