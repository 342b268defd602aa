/* SPDX-License-Identifier: GPL-2.0-or-later */
// What std::async does is done when its future says so.
#include <cassert>
#include <future>

namespace {

int answer;

int work()
{
	answer = 7;
	return 0;
}

} // namespace

int main()
{
	std::future<int> done = std::async(std::launch::async, work);

	done.get();
	assert(answer == 7);
	return 0;
}
