/* SPDX-License-Identifier: GPL-2.0-or-later */
// A worker that looks for the stop request only once.
#include <cassert>
#include <stop_token>
#include <thread>

int main()
{
	int rounds = 0;
	{
		std::jthread worker([&rounds](std::stop_token token) {
			if (token.stop_requested())
				return;
			rounds = 1;
		});
		worker.request_stop();
	}
	assert(rounds == 0);
	return 0;
}
