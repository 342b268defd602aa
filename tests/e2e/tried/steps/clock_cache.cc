// SPDX-License-Identifier: GPL-2.0-or-later
// A cache whose entries expire, tested with googletest and a clock that the test moves.
// Bug: whether an entry is still fresh is asked in one call, its value is taken in another.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace
{

class Clock {
public:
	virtual ~Clock() = default;
	virtual long now() const = 0;
};

class FakeClock : public Clock {
public:
	long now() const override
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return now_;
	}

	void advance(long seconds)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		now_ += seconds;
	}

private:
	mutable std::mutex mutex_;
	long now_ = 1000;
};

class TokenCache {
public:
	TokenCache(const Clock &clock, long lifetime) : clock_(clock), lifetime_(lifetime)
	{
	}

	void put(const std::string &user, std::string token)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		tokens_[user] = { std::move(token), clock_.now() + lifetime_ };
	}

	// Empty: there is none that is still good.
	std::string get(const std::string &user)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		const auto found = tokens_.find(user);

		if (found == tokens_.end() || found->second.expires <= clock_.now())
			return "";
		return found->second.token;
#else
		if (!fresh(user))
			return "";
		std::lock_guard<std::mutex> lock(mutex_);
		return tokens_[user].token;
#endif
	}

	void sweep()
	{
		std::lock_guard<std::mutex> lock(mutex_);

		for (auto entry = tokens_.begin(); entry != tokens_.end();)
			entry = entry->second.expires <= clock_.now() ? tokens_.erase(entry) : std::next(entry);
	}

	size_t size() const
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return tokens_.size();
	}

private:
	struct Entry {
		std::string token;
		long expires = 0;
	};

#ifndef FIXED
	bool fresh(const std::string &user) const
	{
		std::lock_guard<std::mutex> lock(mutex_);
		const auto found = tokens_.find(user);

		return found != tokens_.end() && found->second.expires > clock_.now();
	}
#endif

	const Clock &clock_;
	const long lifetime_;
	mutable std::mutex mutex_;
	std::map<std::string, Entry> tokens_;
};

class TokenCacheTest : public testing::Test {
protected:
	void SetUp() override
	{
		cache_.put("ann", "t1");
	}

	FakeClock clock_;
	TokenCache cache_{ clock_, 60 };
};

TEST_F(TokenCacheTest, ExpiresAfterItsLifetime)
{
	EXPECT_EQ(cache_.get("ann"), "t1");
	clock_.advance(61);
	EXPECT_EQ(cache_.get("ann"), "");
}

TEST_F(TokenCacheTest, SweepLeavesNothingBehind)
{
	std::thread reader([this] { cache_.get("ann"); });

	clock_.advance(61);
	cache_.sweep();
	reader.join();
	EXPECT_EQ(cache_.size(), 0u);
}

} // namespace
