// SPDX-License-Identifier: GPL-2.0-or-later
// Objects that outlive their owners' calls: shared_from_this in callbacks, weak_ptr to cancel, unique ownership moved.
#include <cassert>
#include <functional>
#include <memory>
#include <mutex>
#include <condition_variable>
#include <deque>
#include <string>
#include <thread>
#include <utility>

class strand {
public:
	strand() : thread([this] { run(); }) {}
	~strand()
	{
		post(nullptr);
		thread.join();
	}

	void post(std::function<void()> f)
	{
		std::lock_guard<std::mutex> held(lock);
		calls.push_back(std::move(f));
		come.notify_one();
	}

private:
	void run()
	{
		for (;;) {
			std::function<void()> f;
			{
				std::unique_lock<std::mutex> held(lock);
				come.wait(held, [this] { return !calls.empty(); });
				f = std::move(calls.front());
				calls.pop_front();
			}
			if (!f)
				return;
			f();
		}
	}

	std::mutex lock;
	std::condition_variable come;
	std::deque<std::function<void()>> calls;
	std::thread thread;
};

class session : public std::enable_shared_from_this<session> {
public:
	session(strand &io, std::string name, int &alive) : io(io), name(std::move(name)), alive(alive) { alive++; }
	~session()
	{
		alive--;
	}

	void read(int times, std::function<void(const std::string &)> done)
	{
		io.post([self = shared_from_this(), times, done = std::move(done)]() mutable {
			self->got += self->name[static_cast<size_t>(times) % self->name.size()];
			if (times > 1)
				self->read(times - 1, std::move(done));
			else
				done(self->got);
		});
	}

private:
	strand &io;
	std::string name, got;
	int &alive;
};

int main()
{
	std::mutex lock;
	std::condition_variable come;
	std::string result;
	int alive = 0, cancelled = 0;
	{
		strand io;
		io.post([&io, &alive, &lock, &come, &result] {
			std::make_shared<session>(io, "abc", alive)->read(3, [&](const std::string &got) {
				std::lock_guard<std::mutex> held(lock);
				result = got;
				come.notify_all();
			});
		});
		auto token = std::make_shared<int>(1);
		std::weak_ptr<int> weak = token;
		std::thread gives_up([token = std::move(token)]() mutable { token.reset(); });
		io.post([weak, &cancelled] {
			if (!weak.lock())
				cancelled = 1;
		});
		gives_up.join();
		std::unique_lock<std::mutex> held(lock);
		come.wait(held, [&] { return !result.empty(); });
	}
	assert(result == "acb" && alive == 0 && cancelled <= 1);
}
