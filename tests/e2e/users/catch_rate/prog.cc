// SPDX-License-Identifier: GPL-2.0-or-later
// Tests in Catch2 of a token bucket that several threads take from; time is a clock of its own.
#define CATCH_CONFIG_MAIN
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>
#include <vector>

class fake_clock {
public:
	long now() const { return ticks.load(); }
	void advance(long n) { ticks += n; }

private:
	std::atomic<long> ticks{0};
};

class token_bucket {
public:
	token_bucket(const fake_clock &clock, long rate, long burst) : clock(clock), rate(rate), burst(burst), tokens(burst) {}

	bool take(long n = 1)
	{
		std::lock_guard<std::mutex> held(lock);
		long now = clock.now();
		tokens = std::min(burst, tokens + (now - last) * rate);
		last = now;
		if (tokens < n)
			return false;
		tokens -= n;
		return true;
	}

private:
	const fake_clock &clock;
	long rate, burst, tokens, last = 0;
	std::mutex lock;
};

TEST_CASE("a bucket gives no more than its burst", "[bucket]")
{
	fake_clock clock;
	token_bucket bucket(clock, 1, 3);
	std::atomic<int> taken{0};
	std::vector<std::thread> threads;

	for (int i = 0; i < 2; i++)
		threads.emplace_back([&] {
			for (int k = 0; k < 2; k++)
				taken += bucket.take();
		});
	for (auto &t : threads)
		t.join();
	REQUIRE(taken == 3);
}

TEST_CASE("time fills a bucket", "[bucket]")
{
	fake_clock clock;
	token_bucket bucket(clock, 2, 4);

	REQUIRE(bucket.take(4));
	SECTION("not beyond its burst")
	{
		std::thread passes([&] { clock.advance(10); });
		passes.join();
		CHECK_FALSE(bucket.take(5));
		CHECK(bucket.take(4));
	}
	SECTION("as much as has passed")
	{
		std::thread passes([&] { clock.advance(1); });
		bool early = bucket.take(2);
		passes.join();
		CHECK((early || bucket.take(2)));
	}
}
