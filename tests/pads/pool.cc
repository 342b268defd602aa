/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of some size for the pads: a thread pool, a striped hash map of strings, a matrix product, sorting,
 * exceptions, lambdas,
 * virtual functions, thread_local, atomics. What it prints does not depend on the order of its threads.
 */
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

class Pool {
public:
	explicit Pool(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads.emplace_back([this] { work(); });
	}
	~Pool()
	{
		{
			std::lock_guard<std::mutex> hold(mutex);
			done = true;
		}
		wake.notify_all();
		for (auto &t : threads)
			t.join();
	}
	void add(std::function<void()> job)
	{
		{
			std::lock_guard<std::mutex> hold(mutex);
			jobs.push(std::move(job));
		}
		wake.notify_one();
	}
	unsigned failures() const { return failed.load(std::memory_order_acquire); }

private:
	void work()
	{
		for (;;) {
			std::function<void()> job;
			{
				std::unique_lock<std::mutex> hold(mutex);
				wake.wait(hold, [this] { return done || !jobs.empty(); });
				if (jobs.empty())
					return;
				job = std::move(jobs.front());
				jobs.pop();
			}
			try {
				job();
			} catch (const std::exception &) {
				failed.fetch_add(1, std::memory_order_relaxed);
			}
		}
	}
	std::mutex mutex;
	std::condition_variable wake;
	std::queue<std::function<void()>> jobs;
	std::vector<std::thread> threads;
	std::atomic<unsigned> failed{0};
	bool done = false;
};

template <class V> class Map {
public:
	explicit Map(size_t n) : stripes(n) {}
	void change(const std::string &key, const std::function<void(V &)> &how)
	{
		auto &s = stripe(key);
		std::unique_lock<std::shared_mutex> hold(s.mutex);
		how(s.map[key]);
	}
	std::optional<V> get(const std::string &key)
	{
		auto &s = stripe(key);
		std::shared_lock<std::shared_mutex> hold(s.mutex);
		auto at = s.map.find(key);
		return at == s.map.end() ? std::nullopt : std::optional<V>(at->second);
	}
	std::map<std::string, V> all()
	{
		std::map<std::string, V> result;
		for (auto &s : stripes) {
			std::shared_lock<std::shared_mutex> hold(s.mutex);
			result.insert(s.map.begin(), s.map.end());
		}
		return result;
	}

private:
	struct Stripe {
		std::shared_mutex mutex;
		std::unordered_map<std::string, V> map;
	};
	Stripe &stripe(const std::string &key) { return stripes[std::hash<std::string>()(key) % stripes.size()]; }
	std::vector<Stripe> stripes;
};

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};
struct Circle : Shape {
	explicit Circle(double r) : r(r) {}
	double area() const override { return 3.14159265358979 * r * r; }
	double r;
};
struct Box : Shape {
	Box(float a, long double b) : a(a), b(b) {}
	double area() const override { return static_cast<double>(a * b); }
	float a;
	long double b;
};

struct Big {
	char text[200];
	short numbers[37];
	unsigned bits : 3, more : 11;
};

static const size_t N = 24;
static double a[N][N], b[N][N], c[N][N];
static float fa[300], fb[300];
static unsigned char bytes[512];
static unsigned histogram[256];
static Big big, copy_of_big;
static thread_local long mine;
static std::atomic<long> total, smallest{1000000};
static std::atomic_flag spin = ATOMIC_FLAG_INIT;
static long under_spin;

static unsigned scramble(unsigned x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void lower(std::atomic<long> &to, long value)
{
	long seen = to.load();

	while (value < seen && !to.compare_exchange_weak(seen, value))
		;
}

static void job(Map<long> &map, unsigned n)
{
	std::vector<unsigned> v(50 + n);
	unsigned x = n + 1;

	for (auto &e : v)
		e = x = scramble(x);
	std::sort(v.begin(), v.end(), [n](unsigned p, unsigned q) { return n & 1 ? p < q : p > q; });
	for (size_t i = 0; i < v.size(); i += 7)
		map.change("key " + std::to_string(v[i] % 13), [&](long &value) { value += static_cast<long>(i); });
	mine += fib(static_cast<int>(n % 12));
	total += mine;
	mine = 0;
	lower(smallest, static_cast<long>(v.front() % 1000));
	while (spin.test_and_set(std::memory_order_acquire))
		std::this_thread::yield();
	under_spin++;
	spin.clear(std::memory_order_release);
	if (n % 5 == 0)
		throw std::runtime_error("job " + std::to_string(n));
}

static void arithmetic()
{
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) {
			a[i][j] = static_cast<double>(i * j % 7);
			b[i][j] = std::sqrt(static_cast<double>(i + j));
		}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			for (size_t k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
	for (size_t i = 0; i < 300; i++) {
		fa[i] = static_cast<float>(i) / 3;
		fb[i] = fa[i] * 2 + static_cast<float>(static_cast<int>(c[i % N][i % 11]) % 5);
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = static_cast<unsigned char>(scramble(static_cast<unsigned>(i)) >> 3);
	for (unsigned char byte : bytes)
		histogram[byte]++;
	big.bits = 5;
	big.more = 1234;
	for (int i = 0; i < 37; i++)
		big.numbers[i] = static_cast<short>(i * 1000 - 7);
	std::snprintf(big.text, sizeof(big.text), "%s", "some text");
	copy_of_big = big;
}

int main()
{
	Map<long> map(8);
	unsigned failures;
	std::vector<std::unique_ptr<Shape>> shapes;
	double area = 0;

	arithmetic();
	{
		Pool pool(4);
		for (unsigned n = 0; n < 60; n++)
			pool.add([&map, n] { job(map, n); });
		for (int i = 0; i < 10; i++)
			shapes.push_back(i % 2 ? std::unique_ptr<Shape>(new Circle(i)) : std::unique_ptr<Shape>(new Box(static_cast<float>(i), 2.5L)));
		while (pool.failures() < 12)
			std::this_thread::yield();
		failures = pool.failures();
	}
	for (const auto &s : shapes)
		area += s->area();
	for (const auto &[key, value] : map.all())
		std::printf("%s: %ld\n", key.c_str(), value);
	std::printf("%.6f %.3f %.3f %u\n", area, std::accumulate(&c[0][0], &c[0][0] + N * N, 0.0), std::accumulate(fb, fb + 300, 0.0f), *std::max_element(histogram, histogram + 256));
	std::printf("%ld %ld %ld %u %s %d %u\n", total.load(), smallest.load(), under_spin, failures, copy_of_big.text, copy_of_big.numbers[36], copy_of_big.more + copy_of_big.bits);
	return map.get("no such key") ? 1 : 0;
}
