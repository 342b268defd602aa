/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HEADLINE: abort() was called while handling exception std::runtime_error: not ready, at quiet.cc:16 */
/* A handler of its own, which says nothing, and an exception that comes out of a future. */
#include <atomic>
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>

static std::atomic<bool> ready;

static void give_up()
{
	std::set_terminate(nullptr);
	std::abort();
}

int main()
{
	std::set_terminate(give_up);
	std::thread starter([] { ready = true; });
	auto user = std::async(std::launch::async, [] {
		if (!ready)
			throw std::runtime_error("not ready");
	});

	user.get();
	starter.join();
}
