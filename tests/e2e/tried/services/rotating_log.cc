// SPDX-License-Identifier: GPL-2.0-or-later
// A log that begins a new segment when the current one is full; old segments are dropped.
// Bug: whether the segment is full is asked before the lock is taken, so that two threads begin a new one each.
#include <cassert>
#include <cstdio>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

class Segment {
public:
	explicit Segment(size_t capacity) : capacity_(capacity)
	{
	}

	bool full() const
	{
		return lines_.size() >= capacity_;
	}

	void add(std::string line)
	{
		lines_.push_back(std::move(line));
	}

	size_t lines() const
	{
		return lines_.size();
	}

private:
	const size_t capacity_;
	std::vector<std::string> lines_;
};

class RotatingLog {
public:
	RotatingLog(size_t lines_each, size_t segments) : lines_each_(lines_each), segments_max_(segments)
	{
		rotate();
	}

	void write(const std::string &who, int number)
	{
		const std::string line = format(who, number);

#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		if (current_->full())
			rotate();
#else
		if (current_->full()) {
			std::lock_guard<std::mutex> lock(mutex_);
			rotate();
		}
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		current_->add(line);
		written_++;
	}

	// Every segment but the current one is full: nothing is dropped too early.
	bool well_filled() const
	{
		for (const auto &segment : segments_)
			if (segment.get() != current_ && !segment->full())
				return false;
		return true;
	}

	size_t written() const
	{
		return written_;
	}

private:
	static std::string format(const std::string &who, int number)
	{
		std::ostringstream text;

		text << '[' << who << "] event " << number;
		return text.str();
	}

	void rotate()
	{
		segments_.push_back(std::make_unique<Segment>(lines_each_));
		current_ = segments_.back().get();
		if (segments_.size() > segments_max_)
			segments_.pop_front();
	}

	const size_t lines_each_, segments_max_;
	std::mutex mutex_;
	std::deque<std::unique_ptr<Segment>> segments_;
	Segment *current_ = nullptr;
	size_t written_ = 0;
};

class Service {
public:
	Service(RotatingLog &log, std::string name) : log_(log), name_(std::move(name))
	{
	}

	void run()
	{
		for (int i = 0; i < 2; i++)
			log_.write(name_, i);
	}

private:
	RotatingLog &log_;
	const std::string name_;
};

} // namespace

int main()
{
	RotatingLog log(1, 8);
	Service web(log, "web"), mail(log, "mail");
	std::thread one(&Service::run, &web), two(&Service::run, &mail);

	one.join();
	two.join();
	std::cout << log.written() << " lines" << std::endl;
	assert(log.written() == 4);
	assert(log.well_filled());
	return 0;
}
