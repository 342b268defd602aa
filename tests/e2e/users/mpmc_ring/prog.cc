// SPDX-License-Identifier: GPL-2.0-or-later
// Vyukov's bounded queue for many producers and consumers; who cannot go on yields.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

template <class T, size_t N> class mpmc_ring {
	static_assert((N & (N - 1)) == 0);
	struct cell {
		std::atomic<size_t> sequence;
		T data;
	};

public:
	mpmc_ring()
	{
		for (size_t i = 0; i < N; i++)
			cells[i].sequence.store(i, std::memory_order_relaxed);
	}

	bool push(const T &value)
	{
		size_t at = head.load(std::memory_order_relaxed);
		for (;;) {
			cell &c = cells[at & (N - 1)];
			size_t s = c.sequence.load(std::memory_order_acquire);
			auto d = static_cast<intptr_t>(s) - static_cast<intptr_t>(at);
			if (d == 0) {
				if (head.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
					c.data = value;
					c.sequence.store(at + 1, std::memory_order_release);
					return true;
				}
			} else if (d < 0) {
				return false;
			} else {
				at = head.load(std::memory_order_relaxed);
			}
		}
	}

	bool pop(T &value)
	{
		size_t at = tail.load(std::memory_order_relaxed);
		for (;;) {
			cell &c = cells[at & (N - 1)];
			size_t s = c.sequence.load(std::memory_order_acquire);
			auto d = static_cast<intptr_t>(s) - static_cast<intptr_t>(at + 1);
			if (d == 0) {
				if (tail.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
					value = c.data;
					c.sequence.store(at + N, std::memory_order_release);
					return true;
				}
			} else if (d < 0) {
				return false;
			} else {
				at = tail.load(std::memory_order_relaxed);
			}
		}
	}

private:
	alignas(64) std::atomic<size_t> head{0};
	alignas(64) std::atomic<size_t> tail{0};
	std::array<cell, N> cells;
};

int main()
{
	mpmc_ring<int, 2> ring;
	std::atomic<int> sum{0}, taken{0};
	std::vector<std::thread> threads;
	constexpr int each = 2, producers = 2;

	for (int p = 0; p < producers; p++)
		threads.emplace_back([&ring, p] {
			for (int i = 1; i <= each; i++)
				while (!ring.push(p * 10 + i))
					std::this_thread::yield();
		});
	for (int c = 0; c < 2; c++)
		threads.emplace_back([&] {
			int value;
			while (taken.load() < each * producers) {
				if (!ring.pop(value)) {
					std::this_thread::yield();
					continue;
				}
				sum += value;
				taken++;
			}
		});
	for (auto &t : threads)
		t.join();
	assert(sum == 26 && taken == 4);
}
