// SPDX-License-Identifier: GPL-2.0-or-later
// C++: strings, maps, functions, lambdas, virtual calls, shared pointers, thread-local objects, std::sort, streams into strings.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

struct shape {
	virtual ~shape() = default;
	virtual long area() const = 0;
	virtual std::string name() const { return "shape"; }
};

struct square : shape {
	explicit square(long s) : side(s) {}
	long area() const override { return side * side; }
	std::string name() const override { return "square of side " + std::to_string(side); }
	long side;
};

struct pair : shape {
	pair(std::shared_ptr<shape> x, std::shared_ptr<shape> y) : a(std::move(x)), b(std::move(y)) {}
	long area() const override { return a->area() + b->area(); }
	std::shared_ptr<shape> a, b;
};

std::mutex lock;
std::condition_variable changed;
std::map<std::string, std::shared_ptr<shape>> shapes;
std::unordered_map<long, std::vector<std::string>> names;
std::deque<std::function<long(long)>> queue;
bool done;
long total;
thread_local std::string scratch;

void produce(long me)
{
	for (long i = 0; i < 4; i++) {
		auto s = std::make_shared<square>(me * 3 + i);
		std::lock_guard<std::mutex> hold(lock);

		scratch = s->name() + "!";
		shapes[scratch] = s;
		names[i % 2].push_back(scratch);
		if (shapes.size() > 1)
			shapes["pair " + std::to_string(me)] = std::make_shared<pair>(s, shapes.begin()->second);
		std::sort(names[i % 2].begin(), names[i % 2].end());
		queue.push_back([s, me](long x) { return s->area() * me + x; });
		changed.notify_one();
	}
}

void consume()
{
	std::unique_lock<std::mutex> hold(lock);

	for (;;) {
		changed.wait(hold, [] { return done || !queue.empty(); });
		if (queue.empty())
			return;
		auto f = std::move(queue.front());
		queue.pop_front();
		total += f(1);
	}
}

long report()
{
	std::ostringstream out;

	for (const auto &s : shapes)
		out << s.first << '=' << s.second->area() << ';';
	for (const auto &n : names)
		out << n.second.size();
	return static_cast<long>(out.str().size());
}

} // namespace

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;

	for (int r = 0; r < rounds; r++) {
		std::thread eater(consume);
		std::vector<std::thread> makers;

		for (long i = 1; i <= 2; i++)
			makers.emplace_back(produce, i);
		for (auto &m : makers)
			m.join();
		{
			std::lock_guard<std::mutex> hold(lock);
			done = true;
			changed.notify_all();
		}
		eater.join();
		total += report();
		shapes.clear();
		names.clear();
		done = false;
	}
	std::printf("%ld\n", total);
	return 0;
}
