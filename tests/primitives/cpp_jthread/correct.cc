/* SPDX-License-Identifier: GPL-2.0-or-later */
// std::jthread and a stop token.
#include <cassert>
#include <stop_token>
#include <thread>

int main()
{
	bool stopped = false;
	{
		std::jthread worker([&stopped](std::stop_token token) {
			while (!token.stop_requested())
				std::this_thread::yield();
			stopped = true;
		});
	}
	assert(stopped);
	return 0;
}
