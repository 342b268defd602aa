/* SPDX-License-Identifier: GPL-2.0-or-later */
#define BOOST_TEST_MODULE account
#include <boost/test/included/unit_test.hpp>
#include <thread>
static int balance;
static void deposit(int n) { int seen = balance; balance = seen + n; }
BOOST_AUTO_TEST_CASE(alone) { balance = 0; deposit(1); BOOST_TEST(balance == 1); }
BOOST_AUTO_TEST_SUITE(pairs)
BOOST_AUTO_TEST_CASE(together) {
	balance = 0;
	std::thread a(deposit, 1), b(deposit, 2);
	a.join();
	b.join();
	BOOST_TEST(balance == 3);
}
BOOST_AUTO_TEST_CASE(not_now, *boost::unit_test::disabled()) { BOOST_TEST(false); }
BOOST_AUTO_TEST_SUITE_END()
