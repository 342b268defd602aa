// SPDX-License-Identifier: GPL-2.0-or-later
// Hits are counted while the lock is only held shared.
#include <cassert>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Directory {
public:
	void add(const std::string &name, int port)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		ports_[name] = port;
	}
	int find(const std::string &name)
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		hits_++;
		auto i = ports_.find(name);
		return i == ports_.end() ? -1 : i->second;
	}
	int hits() const { return hits_; }

private:
	std::shared_mutex mutex_;
	std::map<std::string, int> ports_;
#ifdef FIXED
	std::atomic<int> hits_{ 0 };
#else
	int hits_ = 0;
#endif
};

int main()
{
	Directory d;
	d.add("http", 80);
	std::thread one([&] { d.find("http"); });
	std::thread two([&] { d.find("ftp"); });
	one.join();
	two.join();
	assert(d.hits() == 2);
}
