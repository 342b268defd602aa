// SPDX-License-Identifier: GPL-2.0-or-later
// Treiber's stack with an index and a tag in one word; nodes come from a fixed pool and go back to it.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
#include <vector>

struct node {
	std::atomic<uint32_t> next{0};
	int value = 0;
};

class tagged_stack {
public:
	explicit tagged_stack(node *all) : all(all) {}

	void push(uint32_t n)
	{
		uint64_t old = top.load(std::memory_order_relaxed), now;
		do {
			all[n].next.store(index(old), std::memory_order_relaxed);
			now = make(n, tag(old) + 1);
		} while (!top.compare_exchange_weak(old, now, std::memory_order_release, std::memory_order_relaxed));
	}

	uint32_t pop()
	{
		uint64_t old = top.load(std::memory_order_acquire), now;
		do {
			if (!index(old))
				return 0;
			now = make(all[index(old)].next.load(std::memory_order_relaxed), tag(old) + 1);
		} while (!top.compare_exchange_weak(old, now, std::memory_order_acquire, std::memory_order_acquire));
		return index(old);
	}

private:
	static uint32_t index(uint64_t v) { return static_cast<uint32_t>(v); }
	static uint32_t tag(uint64_t v) { return static_cast<uint32_t>(v >> 32); }
	static uint64_t make(uint32_t n, uint32_t t) { return static_cast<uint64_t>(t) << 32 | n; }

	node *all;
	std::atomic<uint64_t> top{0};
};

int main()
{
	constexpr uint32_t nodes = 4;
	std::array<node, nodes + 1> pool; /* 0 is none */
	tagged_stack unused(pool.data()), used(pool.data());
	std::atomic<int> popped{0};
	std::vector<std::thread> threads;

	for (uint32_t i = 1; i <= nodes; i++)
		unused.push(i);
	for (int t = 0; t < 3; t++)
		threads.emplace_back([&, t] {
			for (int i = 0; i < 2; i++) {
				uint32_t n = unused.pop();
				if (!n)
					continue;
				pool[n].value = t * 100 + i;
				used.push(n);
				if (uint32_t m = used.pop()) {
					assert(pool[m].value / 100 < 3 && pool[m].value % 100 < 2);
					unused.push(m);
					popped++;
				}
			}
		});
	for (auto &t : threads)
		t.join();
	uint32_t left = 0;
	while (unused.pop())
		left++;
	while (used.pop())
		left++;
	assert(left == nodes && popped > 0);
}
