// SPDX-License-Identifier: GPL-2.0-or-later
// An allocator with a cache for each thread and a shared depot behind it, used by containers.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pool {

struct block {
	block *next;
};

constexpr size_t classes = 4, step = 16, batch = 2;
static std::mutex depot_lock;
static std::array<block *, classes> depot;
static std::atomic<long> outside{0};

struct cache {
	std::array<block *, classes> free{};
	std::array<size_t, classes> count{};

	~cache()
	{
		std::lock_guard<std::mutex> held(depot_lock);
		for (size_t c = 0; c < classes; c++)
			while (block *b = free[c]) {
				free[c] = b->next;
				b->next = depot[c];
				depot[c] = b;
			}
	}
};

static thread_local cache mine;

static bool refill(size_t c)
{
	std::lock_guard<std::mutex> held(depot_lock);
	for (size_t i = 0; i < batch && depot[c]; i++) {
		block *b = depot[c];
		depot[c] = b->next;
		b->next = mine.free[c];
		mine.free[c] = b;
		mine.count[c]++;
	}
	return mine.free[c];
}

static void *take(size_t size)
{
	size_t c = (size - 1) / step;
	if (c >= classes || (!mine.free[c] && !refill(c))) {
		outside++;
		return std::malloc(c >= classes ? size : (c + 1) * step);
	}
	block *b = mine.free[c];
	mine.free[c] = b->next;
	mine.count[c]--;
	return b;
}

static void give(void *p, size_t size)
{
	size_t c = (size - 1) / step;
	if (c >= classes) {
		std::free(p);
		return;
	}
	auto *b = static_cast<block *>(p);
	b->next = mine.free[c];
	mine.free[c] = b;
	if (++mine.count[c] <= 2 * batch)
		return;
	std::lock_guard<std::mutex> held(depot_lock);
	for (size_t i = 0; i < batch; i++) {
		block *back = mine.free[c];
		mine.free[c] = back->next;
		mine.count[c]--;
		back->next = depot[c];
		depot[c] = back;
	}
}

template <class T> struct allocator {
	using value_type = T;
	allocator() = default;
	template <class U> allocator(const allocator<U> &) {}
	T *allocate(size_t n) { return static_cast<T *>(take(n * sizeof(T))); }
	void deallocate(T *p, size_t n) { give(p, n * sizeof(T)); }
	bool operator==(const allocator &) const { return true; }
};

} // namespace pool

template <class T> using pool_list = std::list<T, pool::allocator<T>>;

int main()
{
	std::mutex lock;
	pool_list<int> shared;
	std::vector<std::thread> threads;

	for (int t = 0; t < 2; t++)
		threads.emplace_back([&, t] {
			pool_list<int> own;
			for (int i = 0; i < 3; i++)
				own.push_back(t * 10 + i);
			{
				std::lock_guard<std::mutex> held(lock);
				shared.splice(shared.end(), own, own.begin());
				if (shared.size() > 1)
					shared.pop_front();
			}
			for (int n : own)
				assert(n / 10 == t);
		});
	for (auto &t : threads)
		t.join();
	assert(shared.size() == 1 && shared.front() % 10 == 0);
	assert(pool::outside >= 3 && pool::outside <= 6);
}
