/* SPDX-License-Identifier: GPL-2.0-or-later */
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <thread>
static int balance;
static void deposit(int n) { int seen = balance; balance = seen + n; }
TEST_CASE("one, alone") { balance = 0; deposit(1); CHECK(balance == 1); }
TEST_CASE("two at a time [x]") {
	balance = 0;
	std::thread a(deposit, 1), b(deposit, 2);
	a.join();
	b.join();
	CHECK(balance == 3);
}
TEST_CASE("not now" * doctest::skip()) { CHECK(false); }
