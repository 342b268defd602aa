// SPDX-License-Identifier: GPL-2.0-or-later
// Host names and their addresses, looked up once: a cache under a shared_mutex.
// Bug: between the lock for reading and the one for writing somebody else may have looked the name up.
#include <cassert>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>

namespace
{

struct Address {
	std::uint32_t ip = 0;
};

// Asks a server; counts how often.
class Resolver {
public:
	Address ask(const std::string &host)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		questions_++;
		return { static_cast<std::uint32_t>(host.size()) << 24 | 1 };
	}

	int questions() const
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return questions_;
	}

private:
	mutable std::mutex mutex_;
	int questions_ = 0;
};

class Cache {
public:
	explicit Cache(Resolver &resolver) : resolver_(resolver)
	{
	}

	Address lookup(const std::string &host)
	{
		{
			std::shared_lock<std::shared_mutex> reading(mutex_);

			if (const auto known = find(host))
				return *known;
		}
		std::unique_lock<std::shared_mutex> writing(mutex_);
#ifdef FIXED
		if (const auto known = find(host))
			return *known;
#endif
		const Address address = resolver_.ask(host);

		addresses_[host] = address;
		return address;
	}

	void forget(const std::string &host)
	{
		std::unique_lock<std::shared_mutex> writing(mutex_);

		addresses_.erase(host);
	}

private:
	std::optional<Address> find(const std::string &host) const
	{
		const auto found = addresses_.find(host);

		if (found == addresses_.end())
			return std::nullopt;
		return found->second;
	}

	Resolver &resolver_;
	mutable std::shared_mutex mutex_;
	std::map<std::string, Address> addresses_;
};

class Connection {
public:
	Connection(Cache &cache, std::string host) : cache_(cache), host_(std::move(host))
	{
	}

	void open()
	{
		peer_ = cache_.lookup(host_);
	}

	bool is_open() const
	{
		return peer_.ip != 0;
	}

private:
	Cache &cache_;
	const std::string host_;
	Address peer_;
};

} // namespace

int main()
{
	Resolver resolver;
	Cache cache(resolver);
	Connection mail(cache, "example.org"), web(cache, "example.org");

	std::thread one(&Connection::open, &mail), two(&Connection::open, &web);
	one.join();
	two.join();
	assert(mail.is_open() && web.is_open());
	assert(resolver.questions() == 1);
	return 0;
}
