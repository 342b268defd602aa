// SPDX-License-Identifier: GPL-2.0-or-later
// A registry of plugins, which are made when somebody asks for them first.
// Bug: a plugin is in the registry before it has read its settings.
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace
{

using Settings = std::map<std::string, int>;

class Plugin {
public:
	virtual ~Plugin() = default;
	virtual void configure(const Settings &settings) = 0;
	virtual int convert(int value) const = 0;
};

class Scale : public Plugin {
public:
	void configure(const Settings &settings) override
	{
		factor_ = settings.at("factor");
	}

	int convert(int value) const override
	{
		return value * factor_;
	}

private:
	int factor_ = 0;
};

class Shift : public Plugin {
public:
	void configure(const Settings &settings) override
	{
		by_ = settings.at("by");
	}

	int convert(int value) const override
	{
		return value + by_;
	}

private:
	int by_ = 0;
};

using Maker = std::function<std::shared_ptr<Plugin>()>;

class Registry {
public:
	void offer(const std::string &name, Maker maker, Settings settings)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		offers_[name] = { std::move(maker), std::move(settings) };
	}

	std::shared_ptr<Plugin> get(const std::string &name)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		auto known = plugins_.find(name);

		if (known != plugins_.end())
			return known->second;
		const auto offer = offers_.find(name);
		if (offer == offers_.end())
			throw std::out_of_range("no plugin " + name);
		auto made = offer->second.make();
#ifdef FIXED
		made->configure(offer->second.settings);
		plugins_[name] = made;
#else
		const Settings settings = offer->second.settings;
		plugins_[name] = made;
		lock.unlock(); // settings may take long
		made->configure(settings);
#endif
		return made;
	}

private:
	struct Offer {
		Maker make;
		Settings settings;
	};

	std::mutex mutex_;
	std::map<std::string, Offer> offers_;
	std::map<std::string, std::shared_ptr<Plugin>> plugins_;
};

int convert_all(Registry &registry, int value)
{
	for (const char *name : { "scale", "shift" })
		value = registry.get(name)->convert(value);
	return value;
}

} // namespace

int main()
{
	Registry registry;
	int first = 0, second = 0;

	registry.offer("scale", [] { return std::make_shared<Scale>(); }, { { "factor", 3 } });
	registry.offer("shift", [] { return std::make_shared<Shift>(); }, { { "by", 1 } });
	std::thread one([&] { first = convert_all(registry, 5); }), two([&] { second = convert_all(registry, 7); });

	one.join();
	two.join();
	assert(first == 16);
	assert(second == 22);
	return 0;
}
