// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

struct Entry {
	std::string value;
	std::atomic<int> pins{0};
};

class Cache {
public:
	explicit Cache(size_t cap) : cap_(cap), evictor_([this] { run(); }) {}
	~Cache() {
		{
			std::lock_guard g(m_);
			stop_ = true;
		}
		cv_.notify_one();
		evictor_.join();
	}
	void put(const std::string &k, std::string v) {
		std::lock_guard g(m_);
		auto e = std::make_shared<Entry>();
		e->value = std::move(v);
		order_.push_back(k);
		map_[k] = std::move(e);
		if (map_.size() > cap_)
			cv_.notify_one();
	}
	std::shared_ptr<Entry> pin(const std::string &k) {
		std::unique_lock g(m_);
		auto it = map_.find(k);
		if (it == map_.end())
			return nullptr;
		auto e = it->second;
#ifdef FIXED
		e->pins++;
#else
		g.unlock();
		e->pins++;
#endif
		return e;
	}
	void unpin(const std::shared_ptr<Entry> &e) { e->pins--; }
	bool has(const std::string &k) {
		std::lock_guard g(m_);
		return map_.count(k) != 0;
	}

private:
	void run() {
		std::unique_lock g(m_);
		while (!stop_) {
			while (!stop_ && map_.size() <= cap_)
				cv_.wait(g);
			for (auto it = order_.begin(); it != order_.end() && map_.size() > cap_;) {
				auto e = map_.find(*it);
				if (e != map_.end() && e->second->pins == 0) {
					map_.erase(e);
					it = order_.erase(it);
				} else
					++it;
			}
			if (map_.size() > cap_)
				return;
		}
	}
	std::mutex m_;
	std::condition_variable cv_;
	size_t cap_;
	bool stop_ = false;
	std::list<std::string> order_;
	std::unordered_map<std::string, std::shared_ptr<Entry>> map_;
	std::thread evictor_;
};

int main() {
	Cache c(1);
	c.put("a", "1");
	std::thread user([&] {
		auto e = c.pin("a");
		if (e) {
			assert(c.has("a"));
			c.unpin(e);
		}
	});
	std::thread filler([&] { c.put("b", "2"); });
	user.join();
	filler.join();
}
