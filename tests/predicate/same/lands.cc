/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is thrown, who catches it and what is destroyed on the way decide the assertion. */
#include <cassert>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>

static int x, other, result;

struct thing {
	int value;
};
struct last_word {
	int value;
	~last_word() { result = value; }
};
static thread_local int mine;
struct owned {
	int value = 1;
	~owned() { result = mine; }
};
struct scope {
	int *at;
	~scope() { *at = x; }
};
struct noticed {
	int before = std::uncaught_exceptions();
	~noticed() { result = std::uncaught_exceptions() > before ? 3 : 1; }
};
struct base {
	virtual void act() { result = 1; }
	virtual ~base() = default;
};
struct derived : base {
	void act() override { throw thing{ 3 }; }
};

#define APART __attribute__((noinline)) static

APART void throw_it(int value)
{
	scope s{ HOW == 2 ? &result : &other };

	if (HOW == 1)
		throw value;
	if (HOW == 2)
		throw thing{ 1 };
	if (value == 3)
		throw thing{ 1 };
	throw 1;
}

APART void by_value()
{
	try {
		throw_it(x);
	} catch (int e) {
		result = HOW == 1 ? e : 1;
	} catch (const thing &) {
		if (HOW != 2)
			result = 3;
	}
}

APART void by_call()
{
	base b;
	derived d;
	base *of[2] = { &b, &d };

	try {
		of[x == 3]->act();
	} catch (const thing &e) {
		result = e.value;
	}
}

APART void by_pointer()
{
	std::exception_ptr kept;

	try {
		throw thing{ x };
	} catch (...) {
		kept = std::current_exception();
	}
	try {
		std::rethrow_exception(kept);
	} catch (const thing &e) {
		result = e.value;
	}
}

APART void by_destructor()
{
	try {
		throw last_word{ x };
	} catch (const last_word &) {
		other = 1;
	}
}

APART void by_notice()
{
	try {
		noticed n;

		if (x == 3)
			throw 1;
	} catch (int) {
		other = 1;
	}
}

APART int made()
{
	if (x == 3)
		throw 1;
	return 1;
}

APART void by_static()
{
	try {
		static int once = made();

		result = once;
	} catch (int) {
		result = 3;
	}
}

APART void by_library()
{
	std::vector<int> v(2);

	try {
		result = v.at(static_cast<size_t>(x)) + 1;
	} catch (const std::out_of_range &) {
		result = 3;
	}
}

static void *ends(void *)
{
	scope s{ &result };

	if (x == 3)
		pthread_exit(nullptr);
	x = 1;
	return nullptr;
}

APART void by_end()
{
	pthread_t t;

	pthread_create(&t, nullptr, ends, nullptr);
	pthread_join(t, nullptr);
}

APART void never() noexcept
{
	result = made();
}

APART void by_owners()
{
	std::exception_ptr a, b;

	try {
		throw owned();
	} catch (...) {
		a = b = std::current_exception();
	}
	std::thread one([&a] {
		mine = 1;
		a = nullptr;
	});
	std::thread three([&b] {
		mine = 3;
		b = nullptr;
	});
	one.join();
	three.join();
}

static void (*const ways[])() = { by_value, by_value, by_value, by_call, by_pointer, by_destructor,
	                           by_notice, by_static, by_library, by_end, never, by_owners };

int main()
{
	std::thread a([] { x = 1; }), b([] { x = 3; });

	a.join();
	b.join();
	ways[HOW - 1]();
	assert(result != 3);
	return 0;
}
