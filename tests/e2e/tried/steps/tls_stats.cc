// SPDX-License-Identifier: GPL-2.0-or-later
// Requests are counted in thread-local counters, which are added to the totals when their thread ends.
// Bug: threads that end at the same time add without a lock.
#include <array>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{

enum Kind { GET, PUT, KINDS };

class Totals {
public:
	void add(const std::array<long, KINDS> &counts)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		for (int kind = 0; kind < KINDS; kind++)
			totals_[kind] += counts[kind];
	}

	long get(Kind kind) const
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return totals_[kind];
	}

private:
	mutable std::mutex mutex_;
	std::array<long, KINDS> totals_{};
};

Totals totals;

// Cheap to count in: nobody else looks at it until its thread ends.
class LocalCounters {
public:
	~LocalCounters()
	{
		totals.add(counts_);
	}

	void count(Kind kind)
	{
		counts_[kind]++;
	}

private:
	std::array<long, KINDS> counts_{};
};

thread_local LocalCounters local;

class Handler {
public:
	void handle(const std::string &request)
	{
		if (request.rfind("GET ", 0) == 0)
			local.count(GET);
		else if (request.rfind("PUT ", 0) == 0)
			local.count(PUT);
	}
};

void serve(const std::vector<std::string> &requests)
{
	Handler handler;

	for (const auto &request : requests)
		handler.handle(request);
}

} // namespace

int main()
{
	const std::vector<std::string> first = { "GET /a", "PUT /b" }, second = { "GET /c" };
	std::thread one([&first] { serve(first); });
	std::thread two([&second] { serve(second); });

	one.join();
	two.join();
	assert(totals.get(GET) == 2);
	assert(totals.get(PUT) == 1);
	return 0;
}
