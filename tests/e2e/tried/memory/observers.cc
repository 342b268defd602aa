// SPDX-License-Identifier: GPL-2.0-or-later
// Observers are told under the lock; one that removes itself is freed while it may still be told.
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Observer {
	int told = 0;
	void tell() { told++; }
};

class Subject {
public:
	void add(Observer *o)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		observers_.push_back(o);
	}
	void remove(Observer *o)
	{
		std::lock_guard<std::mutex> lock(mutex_);
		observers_.erase(std::remove(observers_.begin(), observers_.end(), o), observers_.end());
	}
	void tell_all()
	{
#ifdef FIXED
		std::lock_guard<std::mutex> lock(mutex_);
		for (auto *o : observers_)
			o->tell();
#else
		std::vector<Observer *> copy;
		{
			std::lock_guard<std::mutex> lock(mutex_);
			copy = observers_;
		}
		for (auto *o : copy)
			o->tell();
#endif
	}

private:
	std::mutex mutex_;
	std::vector<Observer *> observers_;
};

int main()
{
	Subject subject;
	auto *observer = new Observer;
	subject.add(observer);
	std::thread notifier([&] { subject.tell_all(); });
	subject.remove(observer);
	delete observer;
	notifier.join();
}
