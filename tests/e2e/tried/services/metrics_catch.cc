// SPDX-License-Identifier: GPL-2.0-or-later
// Counters by name and a report of them, tested with Catch2.
// Bug: the report is taken in two looks, so that its total is not that of its parts.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace
{

struct Report {
	std::map<std::string, long> counts;
	long total = 0;

	long sum() const
	{
		long sum = 0;

		for (const auto &one : counts)
			sum += one.second;
		return sum;
	}
};

class Metrics {
public:
	void count(const std::string &name, long by)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		counts_[name] += by;
		total_ += by;
	}

	Report report() const
	{
		Report report;

#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		report.counts = counts_;
		report.total = total_;
#else
		report.counts = counts();
		report.total = total();
#endif
		return report;
	}

	void reset()
	{
		std::lock_guard<std::mutex> lock(mutex_);

		counts_.clear();
		total_ = 0;
	}

private:
#ifndef FIXED
	std::map<std::string, long> counts() const
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return counts_;
	}

	long total() const
	{
		std::lock_guard<std::mutex> lock(mutex_);

		return total_;
	}
#endif

	mutable std::mutex mutex_;
	std::map<std::string, long> counts_;
	long total_ = 0;
};

class Server {
public:
	explicit Server(Metrics &metrics) : metrics_(metrics)
	{
	}

	void handle(const std::string &path)
	{
		metrics_.count("requests", 1);
		if (path.empty())
			metrics_.count("errors", 1);
	}

private:
	Metrics &metrics_;
};

} // namespace

TEST_CASE("a report adds up")
{
	Metrics metrics;
	Server server(metrics);
	std::thread client([&server] { server.handle("/index"); });
	const Report report = metrics.report();

	client.join();
	CHECK(report.total == report.sum());
}

TEST_CASE("a reset forgets all")
{
	Metrics metrics;

	metrics.count("requests", 3);
	metrics.reset();
	CHECK(metrics.report().total == 0);
	CHECK(metrics.report().counts.empty());
}
