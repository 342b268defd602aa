// SPDX-License-Identifier: GPL-2.0-or-later
// Fork and join: each part writes to its place in a vector that grows while parts are still being started.
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

class Sums {
public:
	explicit Sums(std::vector<int> numbers) : numbers_(std::move(numbers)) {}
	int run(std::size_t parts)
	{
		std::vector<std::thread> threads;
#ifdef FIXED
		results_.resize(parts);
#endif
		for (std::size_t part = 0; part < parts; part++) {
#ifndef FIXED
			results_.push_back(0);
#endif
			threads.emplace_back([this, part, parts] { add_up(part, parts); });
		}
		for (auto &t : threads)
			t.join();
		return std::accumulate(results_.begin(), results_.end(), 0);
	}

private:
	void add_up(std::size_t part, std::size_t parts)
	{
		int *result = &results_[part];
		for (std::size_t i = part; i < numbers_.size(); i += parts)
			*result += numbers_[i];
	}

	std::vector<int> numbers_, results_;
};

int main()
{
	Sums sums({ 1, 2, 3, 4 });
	const int sum = sums.run(2);
	if (sum != 10) {
		std::fprintf(stderr, "the sum is %d\n", sum);
		return 1;
	}
}
