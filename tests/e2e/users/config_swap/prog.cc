// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration that is read often and replaced as a whole: shared_ptr swapped atomically, a shared_mutex beside it.
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

struct config {
	int version = 0;
	std::map<std::string, int> values;
};

class config_store {
public:
	std::shared_ptr<const config> get() const { return std::atomic_load(&current); }

	void update(const std::string &key, int value)
	{
		std::lock_guard<std::mutex> held(writers);
		auto next = std::make_shared<config>(*get());
		next->version++;
		next->values[key] = value;
		std::atomic_store(&current, std::shared_ptr<const config>(std::move(next)));
	}

private:
	std::mutex writers;
	std::shared_ptr<const config> current = std::make_shared<config>();
};

class counters {
public:
	void add(const std::string &name)
	{
		{
			std::shared_lock<std::shared_mutex> held(lock);
			auto at = all.find(name);
			if (at != all.end()) {
				at->second->fetch_add(1, std::memory_order_relaxed);
				return;
			}
		}
		std::unique_lock<std::shared_mutex> held(lock);
		auto &slot = all[name];
		if (!slot)
			slot = std::make_unique<std::atomic<int>>(0);
		slot->fetch_add(1, std::memory_order_relaxed);
	}

	int get(const std::string &name) const
	{
		std::shared_lock<std::shared_mutex> held(lock);
		auto at = all.find(name);
		return at == all.end() ? 0 : at->second->load();
	}

private:
	mutable std::shared_mutex lock;
	std::map<std::string, std::unique_ptr<std::atomic<int>>> all;
};

int main()
{
	config_store store;
	counters count;
	std::vector<std::thread> threads;

	for (int w = 0; w < 2; w++)
		threads.emplace_back([&, w] {
			store.update("limit", w);
			store.update("writer" + std::to_string(w), 1);
			count.add("updates");
		});
	threads.emplace_back([&] {
		int last = 0;
		for (int i = 0; i < 3; i++) {
			auto c = store.get();
			assert(c->version >= last && c->values.size() <= 3);
			last = c->version;
			count.add("reads");
		}
	});
	for (auto &t : threads)
		t.join();
	auto c = store.get();
	assert(c->version == 4 && c->values.size() == 3);
	assert(count.get("updates") == 2 && count.get("reads") == 3 && count.get("none") == 0);
}
