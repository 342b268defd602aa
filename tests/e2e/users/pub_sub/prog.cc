// SPDX-License-Identifier: GPL-2.0-or-later
// An event bus: subscribers come and go while events are published; a subscriber that is gone gets nothing.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class event_bus {
public:
	using handler = std::function<void(const std::string &)>;

	class subscription {
	public:
		subscription(event_bus *bus, std::string topic, uint64_t id) : bus(bus), topic(std::move(topic)), id(id) {}
		subscription(subscription &&other) noexcept
		    : bus(std::exchange(other.bus, nullptr)), topic(std::move(other.topic)), id(other.id)
		{
		}
		~subscription()
		{
			if (bus)
				bus->remove(topic, id);
		}

	private:
		event_bus *bus;
		std::string topic;
		uint64_t id;
	};

	[[nodiscard]] subscription subscribe(const std::string &topic, handler h)
	{
		std::unique_lock<std::shared_mutex> held(lock);
		uint64_t id = ++last;
		topics[topic].emplace_back(id, std::make_shared<handler>(std::move(h)));
		return subscription(this, topic, id);
	}

	size_t publish(const std::string &topic, const std::string &text)
	{
		std::vector<std::shared_ptr<handler>> to;
		{
			std::shared_lock<std::shared_mutex> held(lock);
			auto at = topics.find(topic);
			if (at == topics.end())
				return 0;
			for (auto &[id, h] : at->second)
				to.push_back(h);
		}
		for (auto &h : to)
			(*h)(text);
		return to.size();
	}

private:
	void remove(const std::string &topic, uint64_t id)
	{
		std::unique_lock<std::shared_mutex> held(lock);
		auto &list = topics[topic];
		list.erase(std::remove_if(list.begin(), list.end(), [id](auto &s) { return s.first == id; }), list.end());
	}

	std::shared_mutex lock;
	uint64_t last = 0;
	std::map<std::string, std::vector<std::pair<uint64_t, std::shared_ptr<handler>>>> topics;
};

int main()
{
	event_bus bus;
	auto seen = std::make_shared<std::atomic<int>>(0);
	auto letters = std::make_shared<std::atomic<size_t>>(0);

	auto keep = bus.subscribe("orders", [seen](const std::string &) { ++*seen; });
	std::thread comes_and_goes([&bus, letters] {
		for (int i = 0; i < 2; i++) {
			auto s = bus.subscribe("orders", [letters](const std::string &text) { *letters += text.size(); });
			bus.publish("orders", "from within");
		}
	});
	std::thread publisher([&bus] {
		for (int i = 0; i < 3; i++)
			assert(bus.publish("orders", "order " + std::to_string(i)) >= 1);
		assert(bus.publish("nothing", "lost") == 0);
	});
	comes_and_goes.join();
	publisher.join();
	assert(*seen == 5);
	assert(*letters >= 22);
	assert(bus.publish("orders", "last") == 1);
}
