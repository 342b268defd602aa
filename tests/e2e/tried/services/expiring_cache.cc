// SPDX-License-Identifier: GPL-2.0-or-later
// A cache that forgets what was used least recently, and what is too old.
// Bug: an entry is found under the shared lock and moved to the front under the exclusive one, when it may be gone.
#include <cassert>
#include <list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace
{

using Tick = unsigned;

class ExpiringCache {
public:
	ExpiringCache(size_t capacity, Tick lifetime) : capacity_(capacity), lifetime_(lifetime)
	{
	}

	void put(const std::string &key, std::string value, Tick now)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		auto found = index_.find(key);

		if (found != index_.end())
			drop(found->second);
		entries_.push_front({ key, std::move(value), now + lifetime_ });
		index_[key] = entries_.begin();
		while (entries_.size() > capacity_)
			drop(std::prev(entries_.end()));
	}

	std::optional<std::string> get(const std::string &key, Tick now)
	{
#ifdef FIXED
		std::unique_lock<std::shared_mutex> lock(mutex_);
		auto found = index_.find(key);

		if (found == index_.end() || found->second->expires <= now)
			return std::nullopt;
		return touch(found->second);
#else
		Entries::iterator entry;

		{
			std::shared_lock<std::shared_mutex> lock(mutex_);
			auto found = index_.find(key);

			if (found == index_.end() || found->second->expires <= now)
				return std::nullopt;
			entry = found->second;
		}
		std::unique_lock<std::shared_mutex> lock(mutex_);
		return touch(entry);
#endif
	}

	size_t expire(Tick now)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		size_t dropped = 0;

		for (auto entry = entries_.begin(); entry != entries_.end();) {
			auto next = std::next(entry);

			if (entry->expires <= now) {
				drop(entry);
				dropped++;
			}
			entry = next;
		}
		return dropped;
	}

private:
	struct Entry {
		std::string key, value;
		Tick expires;
	};
	using Entries = std::list<Entry>;

	std::string touch(Entries::iterator entry)
	{
		entries_.splice(entries_.begin(), entries_, entry);
		return entry->value;
	}

	void drop(Entries::iterator entry)
	{
		index_.erase(entry->key);
		entries_.erase(entry);
	}

	const size_t capacity_;
	const Tick lifetime_;
	std::shared_mutex mutex_;
	Entries entries_;
	std::unordered_map<std::string, Entries::iterator> index_;
};

} // namespace

int main()
{
	ExpiringCache cache(2, 10);

	cache.put("alice", "admin", 0);
	cache.put("bob", "guest", 5);
	std::thread reader([&cache] {
		auto role = cache.get("alice", 9);

		assert(!role || *role == "admin");
	});

	assert(cache.expire(11) == 1);
	assert(cache.get("bob", 11).has_value());
	reader.join();
	return 0;
}
