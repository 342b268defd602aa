// SPDX-License-Identifier: GPL-2.0-or-later
// Coroutines on a small executor: tasks that go on on whichever thread is free, and one that waits for two others.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <exception>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

class executor {
public:
	explicit executor(int n)
	{
		for (int i = 0; i < n; i++)
			threads.emplace_back([this] { run(); });
	}
	~executor()
	{
		{
			std::lock_guard<std::mutex> held(lock);
			closed = true;
		}
		more.notify_all();
		for (auto &t : threads)
			t.join();
	}

	void post(std::coroutine_handle<> h)
	{
		{
			std::lock_guard<std::mutex> held(lock);
			ready.push(h);
		}
		more.notify_one();
	}

	auto schedule()
	{
		struct awaiter {
			executor &on;
			bool await_ready() const noexcept { return false; }
			void await_suspend(std::coroutine_handle<> h) { on.post(h); }
			void await_resume() const noexcept {}
		};
		return awaiter{*this};
	}

private:
	void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> held(lock);
			more.wait(held, [this] { return closed || !ready.empty(); });
			if (ready.empty())
				return;
			auto h = ready.front();
			ready.pop();
			held.unlock();
			h.resume();
		}
	}

	std::mutex lock;
	std::condition_variable more;
	std::queue<std::coroutine_handle<>> ready;
	bool closed = false;
	std::vector<std::thread> threads;
};

// Starts at once, is waited for by one coroutine.
struct task {
	struct promise_type {
		int value = 0;
		std::atomic<void *> waits{nullptr}; // who waits, or this promise once it is done

		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		auto final_suspend() noexcept
		{
			struct awaiter {
				bool await_ready() const noexcept { return false; }
				std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
				{
					void *who = h.promise().waits.exchange(&h.promise());
					return who ? std::coroutine_handle<>::from_address(who) : std::noop_coroutine();
				}
				void await_resume() const noexcept {}
			};
			return awaiter{};
		}
		void return_value(int v) { value = v; }
		void unhandled_exception() { std::terminate(); }
	};

	std::coroutine_handle<promise_type> h;

	task(std::coroutine_handle<promise_type> h) : h(h) {}
	task(task &&other) noexcept : h(std::exchange(other.h, nullptr)) {}
	~task()
	{
		if (h)
			h.destroy();
	}

	bool await_ready() const noexcept { return false; }
	bool await_suspend(std::coroutine_handle<> who)
	{
		return !h.promise().waits.exchange(who.address());
	}
	int await_resume() const { return h.promise().value; }
};

static task part(executor &on, int n)
{
	co_await on.schedule();
	co_return n *n;
}

struct fire_and_forget {
	struct promise_type {
		fire_and_forget get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
};

static fire_and_forget both(executor &on, int &sum, std::promise<void> &done)
{
	task a = part(on, 3), b = part(on, 4);

	sum = co_await a + co_await b;
	done.set_value();
}

int main()
{
	int sum = 0;
	std::promise<void> done;
	{
		executor pool(2);
		both(pool, sum, done);
		done.get_future().wait();
	}
	assert(sum == 25);
}
