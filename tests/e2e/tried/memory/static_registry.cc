// SPDX-License-Identifier: GPL-2.0-or-later
// Commands are found by their names in a table that is static; a thread that nobody waits for runs them.
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::map<std::string, int> commands;
static std::mutex mutex;
static std::condition_variable changed;
static bool begun;

static int run(const std::string &name)
{
	auto found = commands.find(name);

	return found == commands.end() ? -1 : found->second;
}

static void serve()
{
	{
		std::lock_guard<std::mutex> lock(mutex);

		begun = true;
		changed.notify_one();
	}
	run("stop");
}

int main()
{
	commands["start"] = 1;
	commands["stop"] = 2;
	std::thread server(serve);
	{
		std::unique_lock<std::mutex> lock(mutex);

		changed.wait(lock, [] { return begun; });
	}
#ifdef FIXED
	server.join();
#else
	server.detach();
#endif
	return 0;
}
