// SPDX-License-Identifier: GPL-2.0-or-later
// A cache that looks up under the lock, computes outside of it, and inserts under the lock again.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Connection {
	explicit Connection(std::string host) : host(std::move(host)) { opened++; }
	std::string host;
	static int opened;
};
int Connection::opened = 0;

class Cache {
public:
	std::shared_ptr<Connection> get(const std::string &host)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		auto &slot = connections_[host];
		if (!slot)
			slot = std::make_shared<Connection>(host);
		return slot;
#else
		{
			std::lock_guard<std::mutex> lock(mutex_);
			auto found = connections_.find(host);
			if (found != connections_.end())
				return found->second;
		}
		auto made = std::make_shared<Connection>(host);
		std::lock_guard<std::mutex> lock(mutex_);
		connections_[host] = made;
		return made;
#endif
	}

private:
	std::mutex mutex_;
	std::map<std::string, std::shared_ptr<Connection>> connections_;
};

int main()
{
	Cache cache;
	std::shared_ptr<Connection> a, b;
	std::thread one([&] { a = cache.get("db"); });
	std::thread two([&] { b = cache.get("db"); });
	one.join();
	two.join();
	if (a != b) {
		fprintf(stderr, "two connections to one host\n");
		return 1;
	}
}
