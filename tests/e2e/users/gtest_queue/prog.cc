// SPDX-License-Identifier: GPL-2.0-or-later
// Tests in GoogleTest of a queue that blocks; each starts threads of its own.
#include <condition_variable>
#include <deque>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace {

template <class T> class blocking_queue {
public:
	explicit blocking_queue(size_t most) : most(most) {}

	bool push(T value)
	{
		std::unique_lock<std::mutex> held(lock);
		room.wait(held, [this] { return closed || items.size() < most; });
		if (closed)
			return false;
		items.push_back(std::move(value));
		filled.notify_one();
		return true;
	}

	std::optional<T> pop()
	{
		std::unique_lock<std::mutex> held(lock);
		filled.wait(held, [this] { return closed || !items.empty(); });
		if (items.empty())
			return std::nullopt;
		T value = std::move(items.front());
		items.pop_front();
		room.notify_one();
		return value;
	}

	void close()
	{
		std::lock_guard<std::mutex> held(lock);
		closed = true;
		filled.notify_all();
		room.notify_all();
	}

private:
	std::mutex lock;
	std::condition_variable filled, room;
	std::deque<T> items;
	size_t most;
	bool closed = false;
};

class QueueTest : public ::testing::Test {
protected:
	blocking_queue<int> queue{2};
};

TEST_F(QueueTest, KeepsOrderOfOneProducer)
{
	std::vector<int> got;
	std::thread consumer([&] {
		while (auto v = queue.pop())
			got.push_back(*v);
	});
	for (int i = 0; i < 4; i++)
		EXPECT_TRUE(queue.push(i));
	queue.close();
	consumer.join();
	ASSERT_EQ(got.size(), 4u);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(got[static_cast<size_t>(i)], i);
}

TEST_F(QueueTest, CloseWakesWhoWaits)
{
	std::thread waits([&] { EXPECT_FALSE(queue.pop().has_value()); });
	queue.close();
	waits.join();
	EXPECT_FALSE(queue.push(1));
}

class QueueSizes : public ::testing::TestWithParam<size_t> {};

TEST_P(QueueSizes, LosesNothing)
{
	blocking_queue<int> queue(GetParam());
	std::mutex lock;
	int sum = 0;
	std::vector<std::thread> consumers;
	for (int i = 0; i < 2; i++)
		consumers.emplace_back([&] {
			while (auto v = queue.pop()) {
				std::lock_guard<std::mutex> held(lock);
				sum += *v;
			}
		});
	for (int i = 1; i <= 3; i++)
		queue.push(i);
	queue.close();
	for (auto &t : consumers)
		t.join();
	EXPECT_EQ(sum, 6);
}

INSTANTIATE_TEST_SUITE_P(Small, QueueSizes, ::testing::Values(1, 3));

} // namespace
