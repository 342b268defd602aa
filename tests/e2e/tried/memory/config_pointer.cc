// SPDX-License-Identifier: GPL-2.0-or-later
// A configuration is replaced as a whole, while others look at the one that is current.
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Config {
	int low, high;
	std::string name;

	explicit Config(int n) : low(n), high(2 * n), name("configuration number " + std::to_string(n))
	{
	}
};

#ifdef FIXED
static std::mutex mutex;

static std::unique_lock<std::mutex> hold()
{
	return std::unique_lock<std::mutex>(mutex);
}
#else
static int hold()
{
	return 0;
}
#endif

static std::shared_ptr<const Config> current;
static int good;

static std::shared_ptr<const Config> look()
{
	[[maybe_unused]] auto lock = hold();

	return current;
}

static void serve()
{
	for (int i = 0; i < 3; i++) {
		std::shared_ptr<const Config> config = look();

		good += config->high == 2 * config->low;
	}
}

static void reload()
{
	for (int i = 2; i < 4; i++) {
		auto next = std::make_shared<const Config>(i);
		[[maybe_unused]] auto lock = hold();

		current = next;
	}
}

int main()
{
	current = std::make_shared<const Config>(1);
	std::thread server(serve), loader(reload);
	server.join();
	loader.join();
	assert(good == 3);
}
