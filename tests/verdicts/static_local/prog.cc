// SPDX-License-Identifier: GPL-2.0-or-later
// A registry that is made when it is asked for first, by whichever thread that is: its constructor needs no lock.
#include <mutex>
#include <thread>
#include <vector>

class Registry {
public:
	static Registry &instance()
	{
		static Registry all;
		return all;
	}

	void add(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		ids_.push_back(id);
		count_++;
	}

	int count()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return count_;
	}

private:
	Registry() : count_(1) { ids_.push_back(0); }

	std::mutex mutex_;
	std::vector<int> ids_;
	int count_;
};

int main()
{
	std::thread first([] { Registry::instance().add(1); }), second([] { Registry::instance().add(2); });
	first.join();
	second.join();
	return Registry::instance().count() == 3 ? 0 : 1;
}
