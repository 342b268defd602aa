// SPDX-License-Identifier: GPL-2.0-or-later
// A cache that drops what was not used for longest. Looking something up counts as use, under a lock held shared.
#include <cstdio>
#include <list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>

class Cache {
public:
	explicit Cache(std::size_t room) : room_(room) {}
	void put(int key, std::string value)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		entries_.emplace_front(Entry{ key, std::move(value), ++clock_ });
		if (entries_.size() > room_)
			drop_oldest();
	}
	std::optional<std::string> get(int key)
	{
#ifdef FIXED
		std::unique_lock<std::shared_mutex> lock(mutex_);
#else
		std::shared_lock<std::shared_mutex> lock(mutex_);
#endif
		for (Entry &e : entries_) {
			if (e.key != key)
				continue;
			e.used = next_tick();
			return e.value;
		}
		return std::nullopt;
	}
	bool ticks_differ()
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		long last = 0;
		for (const Entry &e : entries_) {
			if (e.used == last)
				return false;
			last = e.used;
		}
		return true;
	}

private:
	struct Entry {
		int key;
		std::string value;
		long used;
	};
	long next_tick() { return ++clock_; }
	void drop_oldest()
	{
		auto oldest = entries_.begin();
		for (auto e = entries_.begin(); e != entries_.end(); ++e)
			if (e->used < oldest->used)
				oldest = e;
		entries_.erase(oldest);
	}

	std::size_t room_;
	long clock_ = 0;
	std::list<Entry> entries_;
	std::shared_mutex mutex_;
};

int main()
{
	Cache cache(2);
	cache.put(1, "one");
	cache.put(2, "two");
	std::thread a([&cache] { cache.get(1); });
	std::thread b([&cache] { cache.get(2); });
	a.join();
	b.join();
	if (!cache.ticks_differ()) {
		std::fprintf(stderr, "two entries were used at the same tick\n");
		return 1;
	}
}
