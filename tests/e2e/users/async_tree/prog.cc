// SPDX-License-Identifier: GPL-2.0-or-later
// Divide and conquer with std::async, deferred and not; an exception goes up the tree.
#include <algorithm>
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

template <class It> static long sum(It from, It to, int depth)
{
	auto n = to - from;

	if (std::find(from, to, -1) != to && n <= 4)
		throw std::invalid_argument("negative");
	if (n <= 4 || !depth) {
		long total = 0;
		for (; from != to; ++from)
			total += *from;
		return total;
	}
	auto middle = from + n / 2;
	auto left = std::async(std::launch::async, sum<It>, from, middle, depth - 1);
	long right = sum(middle, to, depth - 1);
	return left.get() + right;
}

static void sort_parallel(std::vector<int> &v, size_t from, size_t to)
{
	auto begin = v.begin() + static_cast<long>(from), end = v.begin() + static_cast<long>(to);

	if (to - from <= 8) {
		std::sort(begin, end);
		return;
	}
	size_t middle = (from + to) / 2;
	auto half = std::async(std::launch::async, [&] { sort_parallel(v, from, middle); });
	sort_parallel(v, middle, to);
	half.wait();
	std::inplace_merge(begin, v.begin() + static_cast<long>(middle), end);
}

int main()
{
	std::vector<int> numbers(16);

	for (size_t i = 0; i < numbers.size(); i++)
		numbers[i] = static_cast<int>((i * 7) % 16);
	assert(sum(numbers.begin(), numbers.end(), 2) == 120);
	sort_parallel(numbers, 0, numbers.size());
	assert(std::is_sorted(numbers.begin(), numbers.end()));
	numbers[1] = -1;
	bool thrown = false;
	try {
		sum(numbers.begin(), numbers.end(), 2);
	} catch (const std::invalid_argument &) {
		thrown = true;
	}
	assert(thrown);
	int calls = 0;
	auto lazy = std::async(std::launch::deferred, [&calls] { return ++calls; });
	assert(calls == 0 && lazy.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
	assert(lazy.get() == 1 && calls == 1);
}
