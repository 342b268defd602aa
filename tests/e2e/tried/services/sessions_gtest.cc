// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions of users, tested with a fixture of googletest.
// Bug: renewing a session looks for it and changes it under two locks, so that it comes back after a logout.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace
{

struct Session {
	std::string user;
	int expires;
};

class SessionStore {
public:
	void log_in(const std::string &token, std::string user, int now)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		sessions_[token] = { std::move(user), now + lifetime };
	}

	void log_out(const std::string &token)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		sessions_.erase(token);
	}

	std::optional<Session> find(const std::string &token)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		auto found = sessions_.find(token);

		return found == sessions_.end() ? std::nullopt : std::optional<Session>(found->second);
	}

	// False: there is no such session any more.
	bool renew(const std::string &token, int now)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		auto found = sessions_.find(token);

		if (found == sessions_.end())
			return false;
		found->second.expires = now + lifetime;
#else
		auto session = find(token);

		if (!session)
			return false;
		session->expires = now + lifetime;
		store(token, *session);
#endif
		return true;
	}

	size_t size()
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return sessions_.size();
	}

private:
	static constexpr int lifetime = 30;

#ifndef FIXED
	void store(const std::string &token, const Session &session)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		sessions_[token] = session;
	}
#endif

	std::mutex mutex_;
	std::map<std::string, Session> sessions_;
};

class SessionStoreTest : public ::testing::Test {
protected:
	void SetUp() override
	{
		store_.log_in("t1", "alice", 0);
		store_.log_in("t2", "bob", 0);
	}

	SessionStore store_;
};

TEST_F(SessionStoreTest, FindsWhoIsLoggedIn)
{
	auto session = store_.find("t1");

	ASSERT_TRUE(session);
	EXPECT_EQ(session->user, "alice");
	EXPECT_FALSE(store_.find("t3"));
}

TEST_F(SessionStoreTest, StaysLoggedOut)
{
	std::thread browser([this] { store_.renew("t1", 10); });

	store_.log_out("t1");
	browser.join();
	EXPECT_EQ(store_.size(), 1u);
	EXPECT_FALSE(store_.find("t1"));
}

TEST_F(SessionStoreTest, RenewsForAsLongAgain)
{
	EXPECT_TRUE(store_.renew("t2", 10));
	EXPECT_EQ(store_.find("t2")->expires, 40);
	EXPECT_FALSE(store_.renew("t3", 10));
}

} // namespace
