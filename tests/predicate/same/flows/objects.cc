/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone an unusual way, in objects of C++. */
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <variant>

#include "flow.h"

#if WAY == 1 /* a virtual function, by an object of a class that is chosen */
struct Base {
	virtual int get() const { return 9; }
	virtual ~Base() = default;
};
struct One : Base {
	int get() const override { return 1; }
};
struct Two : Base {
	int get() const override { return 2; }
};
static int flow(int v)
{
	std::unique_ptr<Base> made;

	if (v == 1)
		made = std::make_unique<One>();
	else
		made = std::make_unique<Two>();
	return made->get();
}
#elif WAY == 2 /* a virtual destructor */
static int left_behind;
struct Base {
	virtual ~Base() = default;
};
struct Leaves : Base {
	int v;
	explicit Leaves(int of) : v(of) {}
	~Leaves() override { left_behind = v; }
};
static int flow(int v)
{
	Base *made = new Leaves(v);

	delete made;
	return left_behind;
}
#elif WAY == 3 /* a pointer to a member, and one to a member function */
struct Pair {
	int a = 1, b = 2;
	int first() const { return a; }
	int second() const { return b; }
};
static int flow(int v)
{
	static Pair p;
	static int Pair::*member;
	static int (Pair::*function)() const;

	member = v == 1 ? &Pair::a : &Pair::b;
	function = v == 1 ? &Pair::first : &Pair::second;
	return p.*member == (p.*function)() ? p.*member : 9;
}
#elif WAY == 4 /* what is thrown */
static int flow(int v)
{
	try {
		throw v;
	} catch (int got) {
		return got;
	}
}
#elif WAY == 5 /* who catches */
KEPT static void throws(int v)
{
	if (v == 1)
		throw std::runtime_error("one");
	throw std::logic_error("two");
}
static int flow(int v)
{
	try {
		throws(v);
	} catch (const std::runtime_error &) {
		return 1;
	} catch (const std::exception &) {
		return 2;
	}
	return 9;
}
#elif WAY == 6 /* the text of what is thrown */
static int flow(int v)
{
	try {
		throw std::runtime_error(v == 1 ? "1" : "2");
	} catch (const std::exception &e) {
		return e.what()[0] - '0';
	}
}
#elif WAY == 7 /* an exception that is kept and thrown again */
static std::exception_ptr kept;
static int flow(int v)
{
	try {
		throw v;
	} catch (...) {
		kept = std::current_exception();
	}
	try {
		std::rethrow_exception(kept);
	} catch (int got) {
		return got;
	}
}
#elif WAY == 8 /* a destructor on the way of an exception */
static int passed;
struct Guard {
	int v;
	~Guard() { passed = v; }
};
KEPT static void leave(int v)
{
	Guard g{ v };

	if (v)
		throw 'x';
}
static int flow(int v)
{
	try {
		leave(v);
	} catch (char) {
	}
	return passed;
}
#elif WAY == 9 /* a function object */
static std::function<int()> made;
static int flow(int v)
{
	made = [v] { return v; };
	return made();
}
#elif WAY == 10 /* shared ownership: how many */
static std::shared_ptr<int> kept;
static int flow(int v)
{
	auto mine = std::make_shared<int>(v);

	if (v == 2)
		kept = mine;
	return static_cast<int>(mine.use_count());
}
#elif WAY == 11 /* a weak pointer */
static std::shared_ptr<int> kept;
static std::weak_ptr<int> seen;
static int flow(int v)
{
	kept = std::make_shared<int>(v);
	seen = kept;
	if (v == 1)
		kept.reset();
	return seen.expired() ? 1 : 2;
}
#elif WAY == 12 /* a variant */
static std::variant<int, std::string> either;
static int flow(int v)
{
	if (v == 1)
		either = 5;
	else
		either = std::string("five");
	return static_cast<int>(either.index()) + 1;
}
#elif WAY == 13 /* dynamic_cast */
struct Base {
	virtual ~Base() = default;
};
struct Other : Base {
};
static int flow(int v)
{
	Base b;
	Other o;
	Base *at = v == 1 ? &b : &o;

	return dynamic_cast<Other *>(at) ? 2 : 1;
}
#elif WAY == 14 /* typeid */
struct Base {
	virtual ~Base() = default;
};
struct Other : Base {
};
static int flow(int v)
{
	std::unique_ptr<Base> at(v == 1 ? new Base : new Other);

	return typeid(*at) == typeid(Base) ? 1 : 2;
}
#elif WAY == 15 /* what is made when it is needed first */
struct Late {
	int v;
	explicit Late(int of) : v(of) {}
};
static int flow(int v)
{
	static Late late(v);

	return late.v;
}
#elif WAY == 16 /* a class with two bases */
struct A {
	int a = 9;
	virtual ~A() = default;
};
struct B {
	int b = 9;
	virtual int get() { return b; }
	virtual ~B() = default;
};
struct C : A, B {
	int c = 9;
	int get() override { return c; }
};
static int flow(int v)
{
	C made;
	B *at = &made;

	made.c = v;
	return at->get();
}
#endif
