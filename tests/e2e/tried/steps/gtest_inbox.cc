// SPDX-License-Identifier: GPL-2.0-or-later
// A test with googletest: how many came is asked while they come.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Inbox {
public:
	void deliver(std::string text)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		letters_.push_back(std::move(text));
#ifdef FIXED
		unread_++;
#endif
	}
	void count() { unread_++; }
	std::vector<std::string> take_all()
	{
		std::lock_guard<std::mutex> lock(mutex_);
		unread_ -= static_cast<int>(letters_.size());
		return std::exchange(letters_, {});
	}
	int unread() const { return unread_; }

private:
	std::mutex mutex_;
	std::vector<std::string> letters_;
	std::atomic<int> unread_{ 0 };
};

TEST(Inbox, NeverHasLessThanNothing)
{
	Inbox inbox;
	std::thread sender([&inbox] {
		inbox.deliver("hello");
#ifndef FIXED
		inbox.count();
#endif
	});
	inbox.take_all();
	EXPECT_GE(inbox.unread(), 0);
	sender.join();
}
