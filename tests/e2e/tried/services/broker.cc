// SPDX-License-Identifier: GPL-2.0-or-later
// A broker of messages: handlers subscribe to topics, publishers deliver to whoever is subscribed.
// Bug: a message is delivered by a list taken before, to a subscriber that has left since.
#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

struct Message {
	std::string topic;
	std::string body;
};

using Handler = std::function<void(const Message &)>;

class Subscription {
public:
	explicit Subscription(Handler handler) : handler_(std::move(handler))
	{
	}

	bool deliver(const Message &message)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		if (!is_active())
			return false;
		handler_(message);
		return true;
	}

	// After this no message comes any more.
	void cancel()
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		active_ = false;
	}

private:
	bool is_active() const
	{
		return active_;
	}

	Handler handler_;
	std::mutex mutex_;
	bool active_ = true;
};

class Broker {
public:
	std::shared_ptr<Subscription> subscribe(const std::string &topic, Handler handler)
	{
		auto made = std::make_shared<Subscription>(std::move(handler));
		std::lock_guard<std::mutex> lock(mutex_);

		topics_[topic].push_back(made);
		return made;
	}

	void unsubscribe(const std::string &topic, const std::shared_ptr<Subscription> &who)
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			auto &all = topics_[topic];

			all.erase(std::remove(all.begin(), all.end(), who), all.end());
		}
		who->cancel();
	}

	int publish(const Message &message)
	{
		std::vector<std::shared_ptr<Subscription>> receivers;
		int delivered = 0;

		{
			std::lock_guard<std::mutex> lock(mutex_);
			receivers = topics_[message.topic];
		}
		for (const auto &receiver : receivers)
			delivered += receiver->deliver(message);
		return delivered;
	}

private:
	std::mutex mutex_;
	std::map<std::string, std::vector<std::shared_ptr<Subscription>>> topics_;
};

// Shows prices until it is closed.
class PriceBoard {
public:
	explicit PriceBoard(Broker &broker) : broker_(broker)
	{
		subscription_ = broker_.subscribe("prices", [this](const Message &m) { show(m); });
	}

	void close()
	{
		broker_.unsubscribe("prices", subscription_);
		open_ = false;
	}

private:
	void show(const Message &message)
	{
		assert(open_);
		last_ = message.body;
	}

	Broker &broker_;
	std::shared_ptr<Subscription> subscription_;
	std::string last_;
	bool open_ = true;
};

} // namespace

int main()
{
	Broker broker;
	PriceBoard board(broker);
	std::thread feed([&broker] {
		for (const char *price : { "100", "101" })
			broker.publish({ "prices", price });
	});

	board.close();
	feed.join();
	return 0;
}
