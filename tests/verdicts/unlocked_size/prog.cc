// SPDX-License-Identifier: GPL-2.0-or-later
// A cache whose lookups lock and whose size() does not.
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Cache {
public:
	void put(const std::string &key, int value)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		if (values_.emplace(key, value).second)
			size_++;
	}

	bool drop(const std::string &key)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		if (!values_.erase(key))
			return false;
		size_--;
		return true;
	}

	int size() const { return size_; }

private:
	std::mutex mutex_;
	std::map<std::string, int> values_;
	int size_ = 0;
};

static Cache cache;

int main()
{
	cache.put("before", 0); // nobody else is there
	std::thread writer([] {
		cache.put("a", 1);
		cache.drop("a");
	});
	const bool odd = cache.size() > 2;
	writer.join();
	return odd || cache.size() != 1;
}
