// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions between threads: exception_ptr, broken promises, nested ones, one thrown in a task while others go on.
#include <atomic>
#include <cassert>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class task_group {
public:
	~task_group()
	{
		for (auto &t : threads)
			if (t.joinable())
				t.join();
	}

	void run(std::function<void()> f)
	{
		threads.emplace_back([this, f = std::move(f)] {
			try {
				f();
			} catch (...) {
				std::lock_guard<std::mutex> held(lock);
				if (!first)
					first = std::current_exception();
				failed++;
			}
		});
	}

	void wait()
	{
		for (auto &t : threads)
			t.join();
		threads.clear();
		if (first)
			std::rethrow_exception(std::exchange(first, nullptr));
	}

	int failures() const { return failed; }

private:
	std::mutex lock;
	std::exception_ptr first;
	int failed = 0;
	std::vector<std::thread> threads;
};

static void read_part(int n)
{
	try {
		if (n % 2)
			throw std::out_of_range("part " + std::to_string(n));
	} catch (...) {
		std::throw_with_nested(std::runtime_error("cannot read"));
	}
}

static bool first_is_nested(task_group &group)
{
	try {
		group.wait();
	} catch (const std::runtime_error &outer) {
		try {
			std::rethrow_if_nested(outer);
		} catch (const std::out_of_range &inner) {
			return std::string(inner.what()).starts_with("part ");
		}
	}
	return false;
}

static void broken_promise()
{
	std::promise<int> abandoned;
	auto future = abandoned.get_future();
	std::thread gives_up([p = std::move(abandoned)]() mutable { auto gone = std::move(p); });
	bool broken = false;

	try {
		future.get();
	} catch (const std::future_error &e) {
		broken = e.code() == std::future_errc::broken_promise;
	}
	gives_up.join();
	assert(broken);
}

int main()
{
	task_group group;
	std::atomic<int> fine{0};

	for (int i = 0; i < 3; i++)
		group.run([i, &fine] {
			read_part(i);
			fine++;
		});
	assert(first_is_nested(group));
	assert(fine == 2 && group.failures() == 1);
	broken_promise();
}
