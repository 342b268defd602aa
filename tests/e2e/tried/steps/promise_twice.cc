// SPDX-License-Identifier: GPL-2.0-or-later
// Two replicas answer; the first that does sets the promise. Both may take themselves for the first.
#include <atomic>
#include <future>
#include <thread>

struct Request {
	std::promise<int> answer;
	std::atomic<bool> answered{ false };

	void reply(int value)
	{
#ifdef FIXED
		if (!answered.exchange(true))
			answer.set_value(value);
#else
		if (!answered) {
			answered = true;
			answer.set_value(value);
		}
#endif
	}
};

int main()
{
	Request request;
	auto future = request.answer.get_future();
	std::thread one([&] { request.reply(1); });
	std::thread two([&] { request.reply(2); });
	int got = future.get();
	one.join();
	two.join();
	return got == 1 || got == 2 ? 0 : 1;
}
