// SPDX-License-Identifier: GPL-2.0-or-later
// A cache that forgets what was used least recently; a value that several ask for is made once.
#include <cassert>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
#include <atomic>

template <class K, class V> class lru_cache {
public:
	explicit lru_cache(size_t capacity) : capacity(capacity) {}

	std::optional<V> get(const K &key)
	{
		std::lock_guard<std::mutex> held(lock);
		auto at = index.find(key);
		if (at == index.end())
			return std::nullopt;
		order.splice(order.begin(), order, at->second);
		return at->second->second;
	}

	void put(const K &key, V value)
	{
		std::lock_guard<std::mutex> held(lock);
		auto at = index.find(key);
		if (at != index.end()) {
			at->second->second = std::move(value);
			order.splice(order.begin(), order, at->second);
			return;
		}
		order.emplace_front(key, std::move(value));
		index[key] = order.begin();
		if (order.size() > capacity) {
			index.erase(order.back().first);
			order.pop_back();
		}
	}

	size_t size()
	{
		std::lock_guard<std::mutex> held(lock);
		return order.size();
	}

private:
	using entry = std::pair<K, V>;
	std::mutex lock;
	size_t capacity;
	std::list<entry> order;
	std::unordered_map<K, typename std::list<entry>::iterator> index;
};

class loader {
public:
	std::shared_ptr<const std::string> load(int id)
	{
		if (auto hit = cache.get(id))
			return *hit;
		std::shared_future<std::shared_ptr<const std::string>> wait;
		std::promise<std::shared_ptr<const std::string>> mine;
		bool first = false;
		{
			std::lock_guard<std::mutex> held(lock);
			auto at = pending.find(id);
			if (at == pending.end()) {
				wait = mine.get_future().share();
				pending.emplace(id, wait);
				first = true;
			} else {
				wait = at->second;
			}
		}
		if (first) {
			auto made = std::make_shared<const std::string>("value " + std::to_string(id));
			loads++;
			cache.put(id, made);
			mine.set_value(made);
			std::lock_guard<std::mutex> held(lock);
			pending.erase(id);
		}
		return wait.get();
	}

	std::atomic<int> loads{0};
	lru_cache<int, std::shared_ptr<const std::string>> cache{2};

private:
	std::mutex lock;
	std::unordered_map<int, std::shared_future<std::shared_ptr<const std::string>>> pending;
};

int main()
{
	loader all;
	std::vector<std::thread> readers;

	for (int t = 0; t < 3; t++)
		readers.emplace_back([&all, t] {
			for (int i = 0; i < 3; i++) {
				int id = (t + i) % 3;
				assert(*all.load(id) == "value " + std::to_string(id));
			}
		});
	for (auto &t : readers)
		t.join();
	assert(all.cache.size() == 2 && all.loads >= 3 && all.loads <= 9);
}
