// SPDX-License-Identifier: GPL-2.0-or-later
// A log is written by a thread of its own, which is a member of it.
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Log {
#ifndef FIXED
	std::jthread writer_;
#endif
	std::mutex mutex_;
	std::vector<std::string> lines_;
	size_t written_ = 0;
#ifdef FIXED
	std::jthread writer_;
#endif

	void write_all(std::stop_token stop)
	{
		while (!stop.stop_requested()) {
			std::lock_guard<std::mutex> lock(mutex_);

			for (const std::string &line : lines_)
				written_ += line.size();
			lines_.clear();
		}
	}

public:
	Log()
	{
		writer_ = std::jthread([this](std::stop_token stop) { write_all(stop); });
	}

	void add(std::string line)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		lines_.push_back(std::move(line));
	}
};

int main()
{
	Log log;

	log.add("a line that is so long that it is allocated");
	return 0;
}
