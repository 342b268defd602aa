// SPDX-License-Identifier: GPL-2.0-or-later
// A pipeline: lines are read, parsed in batches, and summed up, each stage in a thread of its own.
// Bug: the parser closes the channel behind it before it sends its last, incomplete batch.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

template <typename T> class Channel {
public:
	explicit Channel(size_t capacity) : capacity_(capacity)
	{
	}

	void send(T item)
	{
		std::unique_lock<std::mutex> lock(mutex_);

		space_.wait(lock, [this] { return items_.size() < capacity_; });
		items_.push_back(std::move(item));
		arrived_.notify_one();
	}

	// Nothing comes any more.
	void close()
	{
		std::lock_guard<std::mutex> lock(mutex_);

		closed_ = true;
		arrived_.notify_all();
	}

	// Nothing: closed, and all was taken.
	std::optional<T> receive()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		arrived_.wait(lock, [this] { return closed_ || !items_.empty(); });
		if (items_.empty())
			return std::nullopt;
		T item = std::move(items_.front());
		items_.pop_front();
		space_.notify_one();
		return item;
	}

private:
	const size_t capacity_;
	std::mutex mutex_;
	std::condition_variable arrived_, space_;
	std::deque<T> items_;
	bool closed_ = false;
};

using Batch = std::vector<int>;

class Parser {
public:
	Parser(Channel<std::string> &in, Channel<Batch> &out, size_t batch) : in_(in), out_(out), size_(batch)
	{
	}

	void run()
	{
		while (auto line = in_.receive()) {
			batch_.push_back(std::stoi(*line));
			if (batch_.size() == size_)
				flush();
		}
#ifdef FIXED
		flush();
		out_.close();
#else
		out_.close();
		flush();
#endif
	}

private:
	void flush()
	{
		if (batch_.empty())
			return;
		out_.send(std::move(batch_));
		batch_.clear();
	}

	Channel<std::string> &in_;
	Channel<Batch> &out_;
	const size_t size_;
	Batch batch_;
};

int sum_up(Channel<Batch> &in)
{
	int sum = 0;

	while (auto batch = in.receive())
		for (int number : *batch)
			sum += number;
	return sum;
}

} // namespace

int main()
{
	Channel<std::string> lines(2);
	Channel<Batch> batches(2);
	Parser parser(lines, batches, 2);
	int sum = 0;
	std::thread parsing(&Parser::run, &parser), summing([&] { sum = sum_up(batches); });

	for (const char *line : { "1", "2", "4" })
		lines.send(line);
	lines.close();
	parsing.join();
	summing.join();
	assert(sum == 7);
	return 0;
}
