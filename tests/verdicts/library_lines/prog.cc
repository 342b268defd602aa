// SPDX-License-Identifier: GPL-2.0-or-later
// A race between functions of the C++ library is told at the lines that call them.
#include <thread>
#include <vector>

int main()
{
	std::vector<int> log;
	bool first = false;
	std::thread writer([&] { log.push_back(1); });
	std::thread reader([&] { first = log.empty(); });

	writer.join();
	reader.join();
	return first && log.empty();
}
