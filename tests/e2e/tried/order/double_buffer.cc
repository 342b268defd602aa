// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of a grid, smoothed in parallel from one buffer to the other; the rounds meet at a barrier too few.
#include <array>
#include <barrier>
#include <cassert>
#include <cstddef>
#include <thread>
#include <vector>

constexpr std::size_t cells = 4;

class Grid {
public:
	explicit Grid(std::ptrdiff_t workers) : meet_(workers) { front_ = { 8, 8, 0, 0 }; }
	void smooth(std::size_t begin, std::size_t end, int rounds)
	{
		for (int round = 0; round < rounds; round++) {
			for (std::size_t i = begin; i < end; i++)
				back_[i] = (at(i, -1) + front_[i] + at(i, 1)) / 2;
#ifdef FIXED
			meet_.arrive_and_wait();
#endif
			for (std::size_t i = begin; i < end; i++)
				front_[i] = back_[i];
			meet_.arrive_and_wait();
		}
	}
	int sum() const
	{
		int n = 0;
		for (int cell : front_)
			n += cell;
		return n;
	}

private:
	int at(std::size_t i, int step) const
	{
		if ((i == 0 && step < 0) || (i + 1 == cells && step > 0))
			return front_[i];
		return step < 0 ? front_[i - 1] : front_[i + 1];
	}

	std::array<int, cells> front_{}, back_{};
	std::barrier<> meet_;
};

int main()
{
	Grid grid(2);
	std::thread left([&grid] { grid.smooth(0, 2, 1); });
	std::thread right([&grid] { grid.smooth(2, 4, 1); });
	left.join();
	right.join();
	assert(grid.sum() == 24);
}
