/* SPDX-License-Identifier: GPL-2.0-or-later */
// What std::async does is looked at before its future says that it is done.
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

	assert(answer == 7);
	return 0;
}
