// SPDX-License-Identifier: GPL-2.0-or-later
// A downloader that is started in its constructor; whoever wants to hear of the end says so afterwards.
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Download {
public:
	using Listener = std::function<void(const std::string &)>;

	explicit Download(std::string url) : url_(std::move(url))
	{
#ifndef FIXED
		start();
#endif
	}
	~Download()
	{
		if (thread_.joinable())
			thread_.join();
	}
	void start() { thread_ = std::thread(&Download::run, this); }
	void on_done(Listener listener)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		listeners_.push_back(std::move(listener));
	}
	void wait() { thread_.join(); }

private:
	void run()
	{
		std::vector<Listener> told;
		{
			std::lock_guard<std::mutex> lock(mutex_);
			told = listeners_;
		}
		for (auto &tell : told)
			tell(url_ + " is there");
	}

	std::string url_;
	std::mutex mutex_;
	std::vector<Listener> listeners_;
	std::thread thread_;
};

int main()
{
	int heard = 0;
	Download page("http://example.org/");
	page.on_done([&heard](const std::string &) { heard++; });
#ifdef FIXED
	page.start();
#endif
	page.wait();
	if (heard != 1) {
		std::fprintf(stderr, "the listener heard %d times of the end\n", heard);
		return 1;
	}
}
