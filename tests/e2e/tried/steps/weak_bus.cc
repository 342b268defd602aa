// SPDX-License-Identifier: GPL-2.0-or-later
// Publish and subscribe: the bus asks whether a subscriber is still there, and then takes it.
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Subscriber {
	explicit Subscriber(std::string n) : name(std::move(n)) {}
	void receive(const std::string &topic, int value)
	{
		std::lock_guard<std::mutex> lock(mutex);
		seen.emplace_back(topic, value);
	}
	std::size_t count()
	{
		std::lock_guard<std::mutex> lock(mutex);
		return seen.size();
	}

	std::string name;
	std::mutex mutex;
	std::vector<std::pair<std::string, int>> seen;
};

class Bus {
public:
	void subscribe(const std::string &topic, const std::shared_ptr<Subscriber> &s)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		topics_[topic].push_back(s);
	}
	void publish(const std::string &topic, int value)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		for (auto &weak : topics_[topic]) {
#ifdef FIXED
			if (auto s = weak.lock())
				s->receive(topic, value);
#else
			if (!weak.expired())
				weak.lock()->receive(topic, value);
#endif
		}
	}

private:
	std::mutex mutex_;
	std::map<std::string, std::vector<std::weak_ptr<Subscriber>>> topics_;
};

int main()
{
	Bus bus;
	auto logger = std::make_shared<Subscriber>("logger");
	auto screen = std::make_shared<Subscriber>("screen");
	bus.subscribe("load", logger);
	bus.subscribe("load", screen);

	std::thread publisher([&bus] { bus.publish("load", 42); });
	screen.reset(); // the window is closed
	publisher.join();
	return logger->count() == 1 ? 0 : 1;
}
