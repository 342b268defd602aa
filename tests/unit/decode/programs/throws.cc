/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions that pass through frames with destructors and through a callback of the C library, are caught by a base, thrown again, ended by value. */
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct problem {
	virtual ~problem() = default;
	virtual int weight() const = 0;
};

struct tagged {
	long tag = 7;
	virtual ~tagged() = default;
};

struct heavy : tagged, problem { /* caught as a problem: not where the object begins */
	explicit heavy(int w) : w(w) {}
	int weight() const override
	{
		return w + static_cast<int>(tag);
	}
	int w;
};

static std::mutex lock;
static std::vector<int> seen;
static int balance;
static volatile int counts[10];

struct scope { /* its destructor runs on the way */
	explicit scope(int by) : by(by)
	{
		std::lock_guard<std::mutex> guard(lock);
		balance += by;
	}
	~scope()
	{
		std::lock_guard<std::mutex> guard(lock);
		balance -= by;
	}
	int by;
};

[[gnu::noinline]] static void deep(int n, int w)
{
	scope here(n);

	if (n == 0)
		throw heavy(w);
	deep(n - 1, w);
	seen.push_back(-1); /* never */
}

static int compare(const void *a, const void *b)
{
	const int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);

	if (x + y == 9)
		throw x < y ? y : x;
	return x - y;
}

[[gnu::noinline]] static int sorted(int first)
{
	int numbers[4] = { first, 1, 8, 3 };

	try {
		qsort(numbers, 4, sizeof(*numbers), compare);
	} catch (int n) {
		return n + numbers[2];
	}
	return numbers[0];
}

[[gnu::noinline]] static int again(int n)
{
	try {
		deep(n, n * 10);
	} catch (const problem &p) {
		if (n % 2)
			throw;
		return p.weight();
	}
	return 0;
}

static void work(int id, int rounds)
{
	std::string text = "thread " + std::to_string(id) + " with a name that is too long for the inside";

	for (int i = id; i < id + rounds; i++) {
		int r;

		try {
			r = again(i % 4) + static_cast<int>(text.size());
		} catch (tagged &t) {
			r = static_cast<int>(t.tag++);
		}
		r += sorted(i - id);
		std::lock_guard<std::mutex> guard(lock);
		seen.push_back(r);
		for (volatile int &n : counts)
			n = n + r;
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 4;
	long sum = balance;

	std::thread a(work, 1, rounds), b(work, 2, rounds);
	a.join();
	b.join();
	for (int r : seen)
		sum += r;
	std::printf("%ld\n", sum);
	return seen.size() != static_cast<size_t>(2 * rounds) || balance;
}
