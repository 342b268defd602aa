// SPDX-License-Identifier: GPL-2.0-or-later
// A deque of Chase and Lev: its owner pushes and takes at one end, thieves at the other.
#include <array>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>
#include <vector>

template <class T, size_t N> class steal_deque {
public:
	bool push(T value)
	{
		long b = bottom.load(std::memory_order_relaxed), t = top.load(std::memory_order_acquire);
		if (b - t >= static_cast<long>(N))
			return false;
		slots[static_cast<size_t>(b) % N].store(value, std::memory_order_relaxed);
		bottom.store(b + 1, std::memory_order_seq_cst);
		return true;
	}

	std::optional<T> pop()
	{
		long b = bottom.load(std::memory_order_relaxed) - 1;
		bottom.store(b, std::memory_order_seq_cst);
		long t = top.load(std::memory_order_seq_cst);
		if (t > b) {
			bottom.store(b + 1, std::memory_order_relaxed);
			return std::nullopt;
		}
		T value = slots[static_cast<size_t>(b) % N].load(std::memory_order_relaxed);
		if (t == b) {
			bool won = top.compare_exchange_strong(t, t + 1);
			bottom.store(b + 1, std::memory_order_relaxed);
			if (!won)
				return std::nullopt;
		}
		return value;
	}

	std::optional<T> steal()
	{
		long t = top.load(std::memory_order_seq_cst), b = bottom.load(std::memory_order_seq_cst);
		if (t >= b)
			return std::nullopt;
		T value = slots[static_cast<size_t>(t) % N].load(std::memory_order_relaxed);
		if (!top.compare_exchange_strong(t, t + 1))
			return std::nullopt;
		return value;
	}

private:
	alignas(64) std::atomic<long> top{0};
	alignas(64) std::atomic<long> bottom{0};
	std::array<std::atomic<T>, N> slots{};
};

int main()
{
	constexpr int tasks = 4;
	steal_deque<int, 8> deque;
	std::array<std::atomic<int>, tasks> done{};
	std::atomic<int> left{tasks};
	std::vector<std::thread> thieves;

	auto run = [&](int n) {
		done[static_cast<size_t>(n)]++;
		left--;
	};
	for (int i = 0; i < 2; i++)
		thieves.emplace_back([&] {
			while (left > 0)
				if (auto n = deque.steal())
					run(*n);
				else
					std::this_thread::yield();
		});
	for (int i = 0; i < tasks; i++) {
		assert(deque.push(i));
		if (i % 2)
			if (auto n = deque.pop())
				run(*n);
	}
	while (auto n = deque.pop())
		run(*n);
	for (auto &t : thieves)
		t.join();
	for (auto &n : done)
		assert(n == 1);
}
