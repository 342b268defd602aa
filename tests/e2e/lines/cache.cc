/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache that looks under a reader's lock and inserts under a writer's, without looking again. */
/* SAID: two entries for one key */
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Cache
{
    public:
	std::shared_ptr<std::string> get(const std::string &key)
	{
		{
			std::shared_lock<std::shared_mutex> reader(mutex_);
			auto it = entries_.find(key); /* SHOWN: looks into cache.entries_ (map::find) */

			if (it != entries_.end())
				return it->second;
		}
		std::unique_lock<std::shared_mutex> writer(mutex_);
		auto entry = std::make_shared<std::string>("value of " + key);
		entries_[key] = entry; /* SHOWN: writes cache.entries_ (map::operator[]) */
		return entry;
	}

    private:
	std::shared_mutex mutex_;
	std::map<std::string, std::shared_ptr<std::string>> entries_;
};

int main()
{
	Cache cache;
	std::shared_ptr<std::string> a, b;
	std::thread first([&] { a = cache.get("x"); }); /* THREAD: 0.0: std::thread running lambda in main */
	std::thread second([&] { b = cache.get("x"); });

	first.join();
	second.join();
	if (a == b)
		return 0;
	std::cerr << "two entries for one key\n";
	return 3;
}
