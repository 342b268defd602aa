// SPDX-License-Identifier: GPL-2.0-or-later
// A log whose lines are added and dropped under its mutex, and counted without. What std::vector does for a line of
// the program is told as that line.
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Log {
public:
	void add(const std::string &line)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		lines_.push_back(line);
	}

	void clear()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		lines_.clear();
	}

	size_t size() const { return lines_.size(); }

private:
	mutable std::mutex mutex_;
	std::vector<std::string> lines_;
};

int main()
{
	Log log;
	log.add("before"); // nobody else is there
	std::thread writer([&] {
		log.add("one");
		log.clear();
	});
	volatile size_t now = log.size();
	writer.join();
	return now < 2 || log.size() == 0 ? 0 : 1;
}
