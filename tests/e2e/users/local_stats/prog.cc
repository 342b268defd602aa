// SPDX-License-Identifier: GPL-2.0-or-later
// Counters kept by each thread, found by a registry; what a thread that ends has counted is kept.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class stats {
public:
	static stats &instance()
	{
		static stats all;
		return all;
	}

	void count(const char *name) { mine().add(name); }

	int total(const std::string &name)
	{
		std::lock_guard<std::mutex> held(lock);
		int n = retired[name];
		for (auto *l : alive)
			n += l->read(name);
		return n;
	}

	size_t threads()
	{
		std::lock_guard<std::mutex> held(lock);
		return alive.size();
	}

private:
	class local {
	public:
		explicit local(stats &all) : all(all)
		{
			std::lock_guard<std::mutex> held(all.lock);
			all.alive.push_back(this);
		}

		~local()
		{
			std::lock_guard<std::mutex> held(all.lock);
			all.alive.erase(std::find(all.alive.begin(), all.alive.end(), this));
			for (auto &[name, n] : counts)
				all.retired[name] += n;
		}

		void add(const char *name)
		{
			std::lock_guard<std::mutex> held(lock);
			counts[name]++;
		}

		int read(const std::string &name)
		{
			std::lock_guard<std::mutex> held(lock);
			auto at = counts.find(name);
			return at == counts.end() ? 0 : at->second;
		}

	private:
		stats &all;
		std::mutex lock;
		std::map<std::string, int> counts;
	};

	local &mine()
	{
		static thread_local local l(*this);
		return l;
	}

	std::mutex lock;
	std::vector<local *> alive;
	std::map<std::string, int> retired;
};

int main()
{
	std::vector<std::thread> threads;
	std::atomic<int> most{0};

	for (int i = 0; i < 2; i++)
		threads.emplace_back([i, &most] {
			stats::instance().count("requests");
			if (i)
				stats::instance().count("errors");
			stats::instance().count("requests");
			int seen = stats::instance().total("requests");
			assert(seen >= 2 && seen <= 4);
			most = std::max(most.load(), seen);
		});
	assert(stats::instance().total("requests") <= 4);
	for (auto &t : threads)
		t.join();
	assert(stats::instance().total("requests") == 4 && stats::instance().total("errors") == 1);
	assert(stats::instance().threads() == 0 && most >= 2);
}
