// SPDX-License-Identifier: GPL-2.0-or-later
// Stages with a barrier whose completion step swaps buffers; a latch starts all at once.
#include <array>
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

constexpr int cells = 8, parts = 2, rounds = 2;

struct grid {
	std::array<int, cells> now{}, next{};
	int swaps = 0;

	void swap() noexcept
	{
		std::swap(now, next);
		swaps++;
	}
};

static void smooth(grid &g, int part)
{
	const int width = cells / parts;

	for (int i = part * width; i < (part + 1) * width; i++) {
		int left = g.now[(i + cells - 1) % cells], right = g.now[(i + 1) % cells];
		g.next[i] = left + right;
	}
}

static std::array<int, cells> alone()
{
	grid g;

	g.now[0] = 1;
	for (int r = 0; r < rounds; r++) {
		for (int p = 0; p < parts; p++)
			smooth(g, p);
		g.swap();
	}
	return g.now;
}

int main()
{
	grid g;
	std::latch start(1), finished(parts);

	g.now[0] = 1;
	auto step = [&g]() noexcept { g.swap(); };
	std::barrier sync(parts, step);
	std::vector<std::thread> workers;
	for (int p = 0; p < parts; p++)
		workers.emplace_back([&, p] {
			start.wait();
			for (int r = 0; r < rounds; r++) {
				smooth(g, p);
				sync.arrive_and_wait();
			}
			finished.count_down();
		});
	start.count_down();
	finished.wait();
	assert(g.now == alone() && g.swaps == rounds);
	for (auto &t : workers)
		t.join();
}
