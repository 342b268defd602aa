// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions that have ended are dropped while another thread goes through them.
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

class Sessions {
public:
	int open(std::string user)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		all_.emplace(++last_, std::move(user));
		return last_;
	}
	void close(int id)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		all_.erase(id);
	}
	std::string list() const
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
#endif
		std::string text;
		for (const auto &[id, user] : all_)
			text += std::to_string(id) + " " + user + "\n";
		return text;
	}

private:
	mutable std::mutex mutex_;
	std::map<int, std::string> all_;
	int last_ = 0;
};

int main()
{
	Sessions sessions;
	const int ann = sessions.open("ann");
	sessions.open("bob");
	std::thread admin([&sessions] { sessions.list(); });
	sessions.close(ann);
	admin.join();
}
