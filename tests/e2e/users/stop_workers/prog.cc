// SPDX-License-Identifier: GPL-2.0-or-later
// jthreads that wait with a stop token; a stop callback; requests while one waits, works or has not begun.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>
#include <stop_token>
#include <thread>
#include <vector>

template <class T> class channel {
public:
	void send(T value)
	{
		{
			std::lock_guard<std::mutex> held(lock);
			items.push(std::move(value));
		}
		more.notify_one();
	}

	std::optional<T> receive(std::stop_token stop)
	{
		std::unique_lock<std::mutex> held(lock);
		if (!more.wait(held, stop, [this] { return !items.empty(); }))
			return std::nullopt;
		T value = std::move(items.front());
		items.pop();
		return value;
	}

	size_t size()
	{
		std::lock_guard<std::mutex> held(lock);
		return items.size();
	}

private:
	std::mutex lock;
	std::condition_variable_any more;
	std::queue<T> items;
};

int main()
{
	channel<int> work, results;
	std::atomic<int> stopped{0};
	{
		std::vector<std::jthread> workers;
		for (int i = 0; i < 2; i++)
			workers.emplace_back([&](std::stop_token stop) {
				std::stop_callback noted(stop, [&] { stopped++; });
				while (auto n = work.receive(stop))
					results.send(*n * *n);
			});
		for (int i = 1; i <= 3; i++)
			work.send(i);
		int sum = 0;
		for (int i = 0; i < 3; i++)
			sum += *results.receive({});
		assert(sum == 14);
	}
	assert(stopped <= 2 && work.size() == 0); // a callback may be gone before its turn
	std::stop_source source;
	std::jthread late([&, stop = source.get_token()] { assert(!work.receive(stop)); });
	source.request_stop();
}
