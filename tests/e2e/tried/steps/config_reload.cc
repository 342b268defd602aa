// SPDX-License-Identifier: GPL-2.0-or-later
// Settings that are reloaded while clients read them: each value has its getter, and each getter its lock.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

class Settings {
public:
	std::string get(const std::string &key) const
	{
		std::lock_guard<std::mutex> lock(mutex_);
		auto found = values_.find(key);
		return found == values_.end() ? "" : found->second;
	}
	std::pair<std::string, std::string> get_two(const std::string &one, const std::string &two) const
	{
		std::lock_guard<std::mutex> lock(mutex_);
		return { values_.at(one), values_.at(two) };
	}
	void reload(std::map<std::string, std::string> fresh)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		values_.swap(fresh);
	}

private:
	mutable std::mutex mutex_;
	std::map<std::string, std::string> values_{ { "host", "old.example.org" }, { "port", "80" } };
};

class Client {
public:
	explicit Client(const Settings &settings) : settings_(settings) {}
	void connect()
	{
#ifdef FIXED
		std::tie(host_, port_) = settings_.get_two("host", "port");
#else
		host_ = settings_.get("host");
		port_ = settings_.get("port");
#endif
	}
	bool sane() const { return (host_ == "old.example.org") == (port_ == "80"); }

private:
	const Settings &settings_;
	std::string host_, port_;
};

int main()
{
	Settings settings;
	Client client(settings);
	std::thread reloader([&settings] { settings.reload({ { "host", "new.example.org" }, { "port", "8080" } }); });
	client.connect();
	reloader.join();
	assert(client.sane());
}
