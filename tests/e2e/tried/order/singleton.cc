// SPDX-License-Identifier: GPL-2.0-or-later
// Double-checked creation that publishes the pointer before the object is ready.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Registry {
public:
	static Registry *get()
	{
		if (!instance_.load()) {
			std::lock_guard<std::mutex> lock(mutex_);
			if (!instance_.load()) {
				auto *made = new Registry;
#ifdef FIXED
				made->load();
				instance_ = made;
#else
				instance_ = made;
				made->load();
#endif
			}
		}
		return instance_;
	}
	int size() const { return size_; }

private:
	void load() { size_ = 3; }
	int size_ = 0;
	static std::atomic<Registry *> instance_;
	static std::mutex mutex_;
};
std::atomic<Registry *> Registry::instance_{ nullptr };
std::mutex Registry::mutex_;

int main()
{
	auto check = [] { assert(Registry::get()->size() == 3); };
	std::thread one(check), two(check);
	one.join();
	two.join();
}
